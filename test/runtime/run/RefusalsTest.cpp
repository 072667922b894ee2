// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that are wrong: the code, the text, and that nothing happened.

#include "test/runtime/run/TestArtefact.h"

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace k3::test;

namespace {

class Refusals : public testing::Test {
protected:
  void SetUp() override {
    writeLanguageModel(folder / "lm.fatbin");
    writeWeights(folder.path);
    writeOperations(folder / "ops.fatbin");
  }
  Runtime open() {
    return Runtime(folder / "lm.fatbin", folder.path,
                   {sizeof(k3rt_session_options), 2, 4, 64, 0, nullptr});
  }
  /// The error of running 'prefill', without "error[K3-Ennnn]: ".
  std::string textOf(Runtime &runtime, std::vector<int32_t> tokens,
                     std::vector<int32_t> cu, std::vector<int32_t> slots) {
    std::vector<float> logits;
    EXPECT_EQ(runtime.run("prefill", tokens, cu, slots, logits), K3_BAD_INPUT);
    return k3rt_last_error();
  }
  TempFolder folder;
};

// Case C10.
TEST_F(Refusals, badSequences) {
  Runtime runtime = open();
  int32_t slot = runtime.newSlot();
  EXPECT_EQ(textOf(runtime, {1, 2}, {1, 2}, {slot}),
            "error[K3-E0413]: prefill: cu_seqlens[0] = 1 (wanted 0)");
  EXPECT_EQ(textOf(runtime, {1, 2}, {0, 3}, {slot}),
            "error[K3-E0413]: prefill: cu_seqlens[1] = 3 (wanted 2, the "
            "number of tokens)");
  EXPECT_EQ(textOf(runtime, {1, 2}, {0, 2}, {1}),
            "error[K3-E0425]: prefill: slots[0]: slot 1 is not in use");
  EXPECT_EQ(textOf(runtime, {1, 2}, {0, 2}, {9}),
            "error[K3-E0425]: prefill: slots[0]: slot 9 lies outside the pool "
            "(wanted 0 to 3)");
  EXPECT_EQ(textOf(runtime, {1, 2}, {0, 1, 2}, {slot, slot}),
            "error[K3-E0414]: prefill: slots[1] = 0 is in use by another "
            "sequence of the call, slots[0]");
  EXPECT_EQ(textOf(runtime, {1, 16}, {0, 2}, {slot}),
            "error[K3-E0416]: prefill: tokens[1] = 16 lies outside the "
            "vocabulary (wanted 0 to 15)");
  EXPECT_EQ(runtime.length(slot), 0);
}

struct Add {
  Add() : x(8, 1), y(8, 2), sum(8, 7) {
    inputs = {floats("x", x, {2, width}), floats("y", y, {2, width})};
    output = floats("sum", sum, {2, width});
  }
  std::string run(Runtime &runtime, k3_code wanted, const char *entry = "add") {
    EXPECT_EQ(k3rt_run(runtime.session, entry, inputs.data(),
                       int32_t(inputs.size()), &output, 1),
              wanted);
    EXPECT_EQ(sum, std::vector<float>(8, 7)) << "outputs are untouched";
    return k3rt_last_error();
  }
  std::vector<float> x, y, sum;
  std::vector<k3_tensor> inputs;
  k3_tensor output;
};

// Cases D3 and D4.
TEST_F(Refusals, tensorsThatDoNotFit) {
  Runtime runtime(folder / "ops.fatbin", "");
  Add call;
  call.inputs[0].dtype = K3_BF16;
  EXPECT_EQ(call.run(runtime, K3_BAD_INPUT),
            "error[K3-E0407]: add: argument 'x': wrong element type (wanted "
            "F32, got BF16)");
  call = Add();
  call.inputs[0].rank = 1;
  EXPECT_EQ(call.run(runtime, K3_BAD_INPUT),
            "error[K3-E0408]: add: argument 'x': wrong rank (wanted 2, got 1)");
  call = Add();
  call.inputs[1].shape[1] = 3;
  EXPECT_EQ(call.run(runtime, K3_BAD_INPUT),
            "error[K3-E0408]: add: argument 'y': wrong shape (wanted [T = 2, "
            "4], got [2, 3])");
  call = Add();
  call.inputs[1].shape[0] = 1;
  EXPECT_EQ(call.run(runtime, K3_BAD_INPUT),
            "error[K3-E0409]: add: argument 'y': dimension 'T' is 1, but 'x' "
            "makes it 2");
  call = Add();
  call.output.shape[0] = 1;
  EXPECT_EQ(call.run(runtime, K3_BAD_INPUT),
            "error[K3-E0409]: add: argument 'sum': dimension 'T' is 1, but "
            "'x' makes it 2");
  call = Add();
  call.inputs[0].shape[0] = -2;
  EXPECT_EQ(call.run(runtime, K3_BAD_INPUT),
            "error[K3-E0408]: add: argument 'x': dimension 0 is negative (got "
            "[-2, 4])");
  call = Add();
  call.inputs[0].bytes = 31;
  EXPECT_EQ(call.run(runtime, K3_BAD_INPUT),
            "error[K3-E0410]: add: argument 'x': buffer is too short for "
            "shape [2, 4] (wanted 32 bytes, got 31)");
  call = Add();
  call.inputs[0].data = reinterpret_cast<char *>(call.x.data()) + 1;
  EXPECT_EQ(call.run(runtime, K3_BAD_INPUT),
            "error[K3-E0411]: add: argument 'x': data is not aligned to its "
            "elements (wanted a multiple of 4 bytes)");
  call = Add();
  call.inputs[0].shape[0] = INT64_MAX / 2;
  EXPECT_EQ(call.run(runtime, K3_BAD_INPUT),
            "error[K3-E0408]: add: argument 'x': the size of shape "
            "[4611686018427387903, 4] overflows");
}

TEST_F(Refusals, argumentsThatDoNotMatchTheEntry) {
  Runtime runtime(folder / "ops.fatbin", "");
  Add call;
  EXPECT_EQ(call.run(runtime, K3_BAD_USAGE, "addd"),
            "error[K3-E0403]: there is no entry point 'addd' (wanted 'add', "
            "'scan', 'count')");
  call.inputs.pop_back();
  EXPECT_EQ(call.run(runtime, K3_BAD_USAGE),
            "error[K3-E0404]: add: input 'y' is missing (wanted 'x', 'y')");
  call = Add();
  call.inputs[1].name = "z";
  EXPECT_EQ(call.run(runtime, K3_BAD_USAGE),
            "error[K3-E0405]: add: there is no input 'z' (wanted 'x', 'y')");
  call = Add();
  call.inputs[1].name = "x";
  EXPECT_EQ(call.run(runtime, K3_BAD_USAGE),
            "error[K3-E0406]: add: input 'x' is given twice");
  call = Add();
  call.inputs[1].name = nullptr;
  EXPECT_EQ(call.run(runtime, K3_BAD_USAGE),
            "error[K3-E0401]: add: input 1: name is null");
  call = Add();
  call.inputs[1].data = nullptr;
  EXPECT_EQ(call.run(runtime, K3_BAD_USAGE),
            "error[K3-E0401]: add: argument 'y': data is null");
}

// Case D5.
TEST_F(Refusals, outputsThatOverlap) {
  Runtime runtime(folder / "ops.fatbin", "");
  Add call;
  call.output.data = call.x.data();
  EXPECT_EQ(call.run(runtime, K3_BAD_INPUT),
            "error[K3-E0412]: add: argument 'sum': overlaps input 'x'");
  call = Add();
  call.inputs[1].data = call.sum.data();
  EXPECT_EQ(call.run(runtime, K3_BAD_INPUT),
            "error[K3-E0412]: add: argument 'sum': overlaps input 'y'");
}

// Case D1.
TEST_F(Refusals, handlesThatAreNotAlive) {
  Runtime runtime = open();
  int32_t slot;
  EXPECT_EQ(k3rt_slot_create(nullptr, &slot), K3_BAD_USAGE);
  EXPECT_STREQ(k3rt_last_error(),
               "error[K3-E0401]: parameter 'session' is null");
  auto *wrongKind = reinterpret_cast<k3rt_session *>(runtime.model);
  EXPECT_EQ(k3rt_slot_create(wrongKind, &slot), K3_BAD_USAGE);
  EXPECT_STREQ(k3rt_last_error(),
               "error[K3-E0401]: parameter 'session' is a model");
  k3rt_session *gone;
  check(k3rt_session_create(runtime.model, nullptr, &gone));
  k3rt_session_destroy(gone);
  EXPECT_EQ(k3rt_slot_create(gone, &slot), K3_BAD_USAGE);
  EXPECT_STREQ(k3rt_last_error(),
               "error[K3-E0401]: parameter 'session' is not a live session");
  k3rt_session_destroy(gone);
  k3rt_session_destroy(nullptr);
  EXPECT_EQ(k3rt_slot_create(runtime.session, nullptr), K3_BAD_USAGE);
  EXPECT_STREQ(k3rt_last_error(), "error[K3-E0401]: parameter 'slot' is null");
  EXPECT_EQ(k3rt_model_metadata(nullptr, "vocab_size"), nullptr);
  EXPECT_STREQ(k3rt_model_metadata(runtime.model, "vocab_size"), "16");
  EXPECT_EQ(k3rt_model_metadata(runtime.model, "nope"), nullptr);
}

TEST_F(Refusals, aSessionOutlivesItsModel) {
  Runtime runtime = open();
  k3rt_model_destroy(runtime.model);
  int32_t slot = runtime.newSlot();
  EXPECT_EQ(runtime.logits("prefill", {3}, {0, 1}, {slot}).size(),
            size_t(width));
}

// Case D2.
TEST_F(Refusals, optionsOfAnotherSize) {
  Runtime runtime = open();
  k3rt_session *session;
  k3rt_session_options options = {};
  EXPECT_EQ(k3rt_session_create(runtime.model, &options, &session),
            K3_BAD_USAGE);
  EXPECT_STREQ(k3rt_last_error(),
               "error[K3-E0402]: options: struct_size is 0 (wanted 48)");
  options.struct_size = sizeof(size_t);
  check(k3rt_session_create(runtime.model, &options, &session));
  k3rt_session_destroy(session);
  struct {
    k3rt_session_options known;
    int64_t future;
  } newer = {{sizeof(newer), 1, 1, 1, 0, nullptr}, 0};
  check(k3rt_session_create(runtime.model, &newer.known, &session));
  k3rt_session_destroy(session);
  newer.future = 3;
  EXPECT_EQ(k3rt_session_create(runtime.model, &newer.known, &session),
            K3_BAD_USAGE);
  options = {sizeof(options), -1, 0, 0, 0, nullptr};
  EXPECT_EQ(k3rt_session_create(runtime.model, &options, &session),
            K3_BAD_USAGE);
  EXPECT_STREQ(k3rt_last_error(),
               "error[K3-E0431]: session option 'threads' is -1 (wanted 0 to "
               "1024)");
  options = {sizeof(options), 1, INT32_MAX, INT32_MAX, 0, nullptr};
  EXPECT_EQ(k3rt_session_create(runtime.model, &options, &session),
            K3_RESOURCES);
}

// Case D10.
TEST_F(Refusals, aSecondThreadIsToldThatTheSessionIsBusy) {
  Runtime runtime = open();
  int32_t slot = runtime.newSlot();
  std::vector<int32_t> flag = {0};
  std::vector<float> done = {0};
  std::thread first([&] {
    k3_tensor input = ints("flag", flag), output = floats("done", done, {1});
    k3_code code;
    do
      code = k3rt_run(runtime.session, "wait", &input, 1, &output, 1);
    while (code == K3_BUSY);
    check(code);
  });
  int64_t tokens;
  k3_code code = K3_OK;
  while (code == K3_OK)
    code = k3rt_slot_length(runtime.session, slot, &tokens);
  EXPECT_EQ(code, K3_BUSY);
  EXPECT_STREQ(k3rt_last_error(),
               "error[K3-E0418]: the session is in use by another thread");
  __atomic_store_n(&flag[0], 1, __ATOMIC_RELEASE);
  first.join();
  check(k3rt_slot_create(runtime.session, &slot));
}

TEST_F(Refusals, aForkedProcessIsToldSo) {
  Runtime runtime = open();
  pid_t child = fork();
  if (child == 0) {
    int32_t slot;
    bool right = k3rt_slot_create(runtime.session, &slot) == K3_BAD_USAGE &&
                 std::string(k3rt_last_error()).find("another process") !=
                     std::string::npos;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// Case C32.
TEST_F(Refusals, codeThatThisCpuDoesNotRun) {
  ArtefactChange change;
  change.features = {"avx512-of-the-future"};
  writeLanguageModel(folder / "future.fatbin", change);
  k3rt_model_options options = {};
  options.struct_size = sizeof(options);
  options.weights_dir = folder.path.c_str();
  k3rt_model *model;
  EXPECT_EQ(
      k3rt_model_load((folder / "future.fatbin").c_str(), &options, &model),
      K3_ENVIRONMENT);
  EXPECT_EQ(model, nullptr);
  std::string text = k3rt_last_error();
  EXPECT_NE(text.find("error[K3-E0420]"), std::string::npos) << text;
  EXPECT_NE(text.find("this CPU lacks avx512-of-the-future"), std::string::npos)
      << text;
  options.target = "banana";
  EXPECT_EQ(k3rt_model_load((folder / "lm.fatbin").c_str(), &options, &model),
            K3_BAD_USAGE);
}

TEST_F(Refusals, codeWithoutAKernel) {
  ArtefactChange change;
  change.missingKernel = "no_such_kernel";
  writeLanguageModel(folder / "broken.fatbin", change);
  k3rt_model_options options = {};
  options.struct_size = sizeof(options);
  options.weights_dir = folder.path.c_str();
  k3rt_model *model;
  EXPECT_EQ(
      k3rt_model_load((folder / "broken.fatbin").c_str(), &options, &model),
      K3_BAD_INPUT);
  std::string text = k3rt_last_error();
  EXPECT_NE(text.find("code for x86-64-v3 has no kernel 'no_such_kernel'"),
            std::string::npos)
      << text;
}

TEST_F(Refusals, questionsPastTheEnd) {
  Runtime runtime = open();
  k3_tensor tensor;
  check(k3rt_entry_input(runtime.model, "prefill", 0, &tensor));
  EXPECT_STREQ(tensor.name, "tokens");
  EXPECT_EQ(tensor.shape[0], -1);
  EXPECT_EQ(k3rt_entry_input(runtime.model, "prefill", 4, &tensor),
            K3_BAD_USAGE);
  EXPECT_STREQ(k3rt_last_error(),
               "error[K3-E0432]: there is no input 4 (there are 4)");
  std::vector<int32_t> slots = {0, 1, 2};
  k3_tensor given = ints("slots", slots);
  check(k3rt_entry_output(runtime.model, "prefill", 0, &given, 1, &tensor));
  EXPECT_EQ(tensor.shape[0], 3);
  EXPECT_EQ(tensor.shape[1], width);
  check(k3rt_entry_output(runtime.model, "prefill", 0, nullptr, 0, &tensor));
  EXPECT_EQ(tensor.shape[0], -1);
  EXPECT_STREQ(k3rt_model_entry(runtime.model, 0), "prefill");
  EXPECT_EQ(k3rt_model_entry(runtime.model, 3), nullptr);
  check(k3rt_model_state(runtime.model, 1, &tensor));
  EXPECT_STREQ(tensor.name, "rows");
  EXPECT_EQ(tensor.shape[0], -1);
  EXPECT_EQ(k3rt_model_state(runtime.model, 2, &tensor), K3_BAD_USAGE);
}

} // namespace
