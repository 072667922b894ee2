// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan that lies is refused before anything runs by it.

#include "runtime/run/PlanCheck.h"

#include <functional>
#include <gtest/gtest.h>

using namespace k3;
using namespace k3::run;

namespace {

ModelPlan goodPlan() {
  ModelPlan plan;
  plan.symbols = {"T", "P", "C", "U"};
  plan.slotsSymbol = 1;
  plan.capacitySymbol = 2;
  plan.numWeights = 1;
  plan.states = {{"cache", K3_F32, {-1, 4}}};
  plan.kernels = {{"embed", 64}};
  EntryPlan entry;
  entry.name = "f";
  entry.inputs.resize(2);
  static_cast<TensorSpec &>(entry.inputs[0]) = {"tokens", K3_I32, {{0, 0}}};
  entry.inputs[0].role = Role::Tokens;
  static_cast<TensorSpec &>(entry.inputs[1]) = {"x", K3_F32, {{0, 0}, {-1, 4}}};
  entry.outputs = {{"y", K3_F32, {{0, 0}, {-1, 4}}}};
  entry.arena = {{0, 16, 64}};
  entry.updates = {{0, 1}};
  CommandPlan launch;
  launch.kernel = 0;
  launch.buffers = {{Place::Input, 0, 0}, {Place::Arena, 0, 0}};
  launch.dims = {0, 2};
  launch.gridSymbol = 0;
  CommandPlan copy;
  copy.kind = CommandKind::Copy;
  copy.buffers = {{Place::Arena, 0, 0}, {Place::Output, 0, 0}};
  copy.bytes = {0, 16, 0};
  entry.commands = {launch, copy};
  plan.entries = {entry};
  return plan;
}

std::string textAfter(const std::function<void(ModelPlan &)> &change) {
  ModelPlan plan = goodPlan();
  change(plan);
  Status status = checkPlan(plan);
  EXPECT_EQ(status.number(), status.ok() ? 0 : 430);
  return status.text();
}

EntryPlan &entry(ModelPlan &plan) { return plan.entries[0]; }

TEST(PlanCheck, acceptsAGoodPlan) {
  EXPECT_EQ(textAfter([](ModelPlan &) {}), "");
}

TEST(PlanCheck, refusesADimensionThatNoInputGives) {
  EXPECT_EQ(textAfter([](ModelPlan &p) { entry(p).commands[0].dims[0] = 3; }),
            "entry 'f': command 0: the kernel uses the dimension 'U', which "
            "no input gives");
  EXPECT_EQ(
      textAfter([](ModelPlan &p) { entry(p).outputs[0].dims[0].symbol = 3; }),
      "entry 'f': output 'y' uses the dimension 'U', which no input gives");
  EXPECT_EQ(textAfter([](ModelPlan &p) { entry(p).arena[0].symbol = 9; }),
            "entry 'f': a workspace block uses symbol 9 of 4");
}

TEST(PlanCheck, refusesWhatDoesNotExist) {
  EXPECT_EQ(textAfter([](ModelPlan &p) { entry(p).commands[0].kernel = 1; }),
            "entry 'f': command 0: kernel 1 does not exist");
  EXPECT_EQ(textAfter([](ModelPlan &p) {
              entry(p).commands[0].buffers[0] = {Place::Weight, 1, 0};
            }),
            "entry 'f': command 0: buffer 1 of place 2 does not exist");
  EXPECT_EQ(textAfter([](ModelPlan &p) {
              entry(p).commands[0].buffers[0].offset = -8;
            }),
            "entry 'f': command 0: buffer 0 of place 0 does not exist");
  EXPECT_EQ(textAfter([](ModelPlan &p) { entry(p).updates[0].input = 2; }),
            "entry 'f': an update names output 0 and input 2");
  EXPECT_EQ(textAfter([](ModelPlan &p) { p.slotsSymbol = 7; }),
            "symbol 7 does not exist");
}

TEST(PlanCheck, refusesBadGeometry) {
  EXPECT_EQ(textAfter([](ModelPlan &p) { entry(p).commands[0].gridTile = 0; }),
            "entry 'f': command 0: the grid has tile 0 and multiplier 1");
  EXPECT_EQ(textAfter([](ModelPlan &p) { entry(p).commands[1].buffers = {}; }),
            "entry 'f': command 1: a copy or fill has 0 buffers (wanted 2)");
  EXPECT_EQ(textAfter([](ModelPlan &p) { entry(p).arena[0].scale = -1; }),
            "entry 'f': a workspace block has a negative size");
}

TEST(PlanCheck, refusesBadArguments) {
  EXPECT_EQ(textAfter([](ModelPlan &p) { entry(p).inputs[1].name = "tokens"; }),
            "entry 'f': argument 'tokens' appears twice");
  EXPECT_EQ(
      textAfter([](ModelPlan &p) { entry(p).inputs[1].role = Role::Slots; }),
      "entry 'f': argument 'x' does not fit its role (wanted I32 of rank 1)");
  EXPECT_EQ(
      textAfter([](ModelPlan &p) { entry(p).outputs[0].dtype = K3_BF16; }),
      "entry 'f': output 'y' updates input 'x' of another type");
  EXPECT_EQ(textAfter([](ModelPlan &p) {
              entry(p).inputs[1].dims.assign(9, {-1, 1});
            }),
            "entry 'f': argument 'x' has rank 9 (at most 8)");
}

TEST(PlanCheck, refusesNamesThatRepeat) {
  EXPECT_EQ(textAfter([](ModelPlan &p) { p.entries.push_back(p.entries[0]); }),
            "entry 'f' appears twice");
  EXPECT_EQ(textAfter([](ModelPlan &p) { p.states.push_back(p.states[0]); }),
            "state 'cache' appears twice");
  EXPECT_EQ(textAfter([](ModelPlan &p) { p.states[0].shape = {4, -1}; }),
            "state 'cache': only its first dimension can be the token "
            "capacity");
}

} // namespace
