// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing and running.

#include "TestModule.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace k3::reference;

TestModule::TestModule(const std::string &text)
    : context(MLIRContext::Threading::DISABLED) {
  context.loadDialect<k3::K3Dialect, func::FuncDialect>();
  module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
}

NamedTensors TestModule::run(const NamedTensors &inputs) {
  NamedTensors outputs;
  std::unique_ptr<ModelRunner> runner;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  message.clear();
  if (!module || failed(ModelRunner::create(*module, nullptr, 1, 1, runner)) ||
      failed(runner->run("main", inputs, outputs)))
    outputs.clear();
  return outputs;
}

TensorPtr k3::reference::reals(ArrayRef<int64_t> shape,
                               std::vector<double> values) {
  return share(Tensor::ofReals(shape, std::move(values)));
}

TensorPtr k3::reference::integers(std::vector<int32_t> values) {
  int64_t count = values.size();
  return share(Tensor::ofIntegers({count}, std::move(values)));
}

TensorPtr k3::reference::filled(ArrayRef<int64_t> shape, double value) {
  Tensor tensor = Tensor::ofReals(shape);
  std::fill(tensor.reals.begin(), tensor.reals.end(), value);
  return share(std::move(tensor));
}

void k3::reference::expectNear(const TensorPtr &actual,
                               const std::vector<double> &wanted,
                               double tolerance) {
  ASSERT_TRUE(actual);
  ASSERT_EQ(actual->reals.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(actual->reals[i], wanted[i], tolerance) << "at " << i;
}

std::string k3::reference::deltaModule(DeltaSpec spec) {
  std::string key =
      llvm::formatv("tensor<?x{0}x{1}xf32>", spec.heads, spec.keyWidth);
  std::string gate =
      llvm::formatv("tensor<?x{0}x{1}xf32>", spec.valueHeads, spec.keyWidth);
  std::string value =
      llvm::formatv("tensor<?x{0}x{1}xf32>", spec.valueHeads, spec.valueWidth);
  std::string beta = llvm::formatv("tensor<?x{0}xf32>", spec.valueHeads);
  int64_t rows = spec.stateVFirst ? spec.valueWidth : spec.keyWidth;
  int64_t columns = spec.stateVFirst ? spec.keyWidth : spec.valueWidth;
  std::string state = llvm::formatv("tensor<?x{0}x{1}x{2}xf32>",
                                    spec.valueHeads, rows, columns);
  std::string index = "tensor<?xi32>";
  std::string arguments, types;
  auto add = [&](StringRef name, const std::string &type) {
    arguments += (arguments.empty() ? "%" : ", %") + name.str() + ": " + type +
                 " {k3.name = \"" + name.str() + "\"}";
    types += (types.empty() ? "" : ", ") + type;
  };
  add("q", key), add("k", key), add("v", value), add("g", gate);
  add("beta", beta), add("h0", state);
  add("bounds", index), add("places", index), add("lengths", index);
  std::string text = "func.func @main(" + arguments + ") -> (" + value +
                     " {k3.name = \"o\"}, " + state + " {k3.name = \"h\"}) {";
  text += "%o, %h = k3.delta_rule q(%q) k(%k) v(%v) g(%g) beta(%beta) "
          "state(%h0) seqs(%bounds, %places, %lengths) "
          "{decay = #k3.decay<channel>, erase = #k3.erase<delta>, "
          "write = #k3.write<beta_value>, read_state = #k3.read_state<decayed>,"
          "scale = ";
  text += llvm::formatv("{0:e17} : f64, state_v_first = {1}}", spec.scale,
                        spec.stateVFirst ? "true" : "false")
              .str();
  text += " : (" + types + ") -> (" + value + ", " + state + ")\n";
  return text + "return %o, %h : " + value + ", " + state + "}";
}
