// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Saving, loading and refusing slots, through the C ABI. Rows G1-G4 of the
// fault catalogue.

#include "test/runtime/run/TestArtefact.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace k3::test;

namespace {

class SlotFile : public testing::Test {
protected:
  void SetUp() override {
    writeLanguageModel(folder / "lm.fatbin");
    writeWeights(folder.path);
  }
  Runtime open(const std::string &artefact = "lm.fatbin",
               int64_t capacity = 32) {
    return Runtime(folder / artefact, folder.path,
                   {sizeof(k3rt_session_options), 1, 2, capacity, 0, nullptr});
  }
  std::string save(Runtime &runtime, int32_t slot) {
    std::string path = folder / "slot.safetensors";
    check(k3rt_slot_save(runtime.session, slot, path.c_str()));
    return path;
  }
  std::string refusal(Runtime &runtime, int32_t slot, const std::string &path,
                      k3_code code = K3_BAD_INPUT) {
    EXPECT_EQ(k3rt_slot_load(runtime.session, slot, path.c_str()), code);
    return k3rt_last_error();
  }
  TempFolder folder;
};

std::string bytesOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void writeBytes(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

// Row G4.
TEST_F(SlotFile, continuesAsIfNeverStopped) {
  Runtime runtime = open();
  int32_t slot = runtime.newSlot();
  runtime.logits("prefill", {1, 5, 9}, {0, 3}, {slot});
  std::string path = save(runtime, slot);
  std::vector<float> next = runtime.logits("prefill", {4}, {0, 1}, {slot});

  Runtime other = open("lm.fatbin", 5); // another capacity, enough for it
  int32_t fresh = other.newSlot();
  check(k3rt_slot_load(other.session, fresh, path.c_str()));
  EXPECT_EQ(other.length(fresh), 3);
  EXPECT_EQ(other.logits("prefill", {4}, {0, 1}, {fresh}), next);
}

TEST_F(SlotFile, savesTheSameBytesTwice) {
  Runtime runtime = open();
  int32_t slot = runtime.newSlot();
  runtime.logits("prefill", {1, 5, 9}, {0, 3}, {slot});
  std::string first = bytesOf(save(runtime, slot));
  EXPECT_EQ(bytesOf(save(runtime, slot)), first);
}

TEST_F(SlotFile, keepsAnEmptySlotEmpty) {
  Runtime runtime = open();
  int32_t slot = runtime.newSlot();
  std::string path = save(runtime, slot);
  runtime.logits("prefill", {1}, {0, 1}, {slot});
  check(k3rt_slot_load(runtime.session, slot, path.c_str()));
  EXPECT_EQ(runtime.length(slot), 0);
}

// Row G1.
TEST_F(SlotFile, refusesAnotherModel) {
  Runtime runtime = open();
  int32_t slot = runtime.newSlot();
  runtime.logits("prefill", {1, 5}, {0, 2}, {slot});
  std::string path = save(runtime, slot);
  ArtefactChange change;
  change.sourceSha256 = std::string(64, '9');
  writeLanguageModel(folder / "other.fatbin", change);
  Runtime other = open("other.fatbin");
  int32_t theirs = other.newSlot();
  std::vector<float> before = other.logits("prefill", {3}, {0, 1}, {theirs});
  std::string text = refusal(other, theirs, path);
  EXPECT_TRUE(contains(text, "error[K3-E0427]")) << text;
  EXPECT_TRUE(contains(text, "state was saved by model 555555555555, this is "
                             "999999999999"))
      << text;
  EXPECT_EQ(other.length(theirs), 1);
}

TEST_F(SlotFile, refusesMoreTokensThanTheCapacity) {
  Runtime runtime = open();
  int32_t slot = runtime.newSlot();
  runtime.logits("prefill", {1, 5, 2}, {0, 3}, {slot});
  std::string path = save(runtime, slot);
  Runtime small = open("lm.fatbin", 2);
  std::string text = refusal(small, small.newSlot(), path, K3_RESOURCES);
  EXPECT_TRUE(contains(text, "holds 3 tokens, a slot of this session at most "
                             "2"))
      << text;
}

// Row G2: every truncation, and flipped bits in every byte.
TEST_F(SlotFile, refusesEveryDamage) {
  Runtime runtime = open();
  int32_t slot = runtime.newSlot();
  runtime.logits("prefill", {1, 5}, {0, 2}, {slot});
  std::string path = save(runtime, slot), whole = bytesOf(path);
  std::string damaged = folder / "damaged.safetensors";
  std::vector<float> next = runtime.logits("score", {7}, {0, 1}, {slot});
  check(k3rt_slot_load(runtime.session, slot, path.c_str()));
  for (size_t size = 0; size < whole.size(); ++size) {
    writeBytes(damaged, whole.substr(0, size));
    ASSERT_NE(k3rt_slot_load(runtime.session, slot, damaged.c_str()), K3_OK)
        << "cut to " << size;
    ASSERT_TRUE(contains(k3rt_last_error(), "error[K3-E")) << size;
  }
  for (size_t bit = 0; bit < whole.size() * 8; bit += 3) {
    std::string flipped = whole;
    flipped[bit / 8] ^= char(1 << (bit % 8));
    writeBytes(damaged, flipped);
    ASSERT_NE(k3rt_slot_load(runtime.session, slot, damaged.c_str()), K3_OK)
        << "bit " << bit;
  }
  EXPECT_EQ(runtime.length(slot), 2);
  EXPECT_EQ(runtime.logits("score", {7}, {0, 1}, {slot}), next);
}

// Row G5.
TEST_F(SlotFile, refusesNaN) {
  Runtime runtime = open();
  int32_t slot = runtime.newSlot();
  writeWeights(folder.path, NAN);
  k3rt_model_options options = {};
  options.struct_size = sizeof(options);
  std::string weights = folder.path;
  options.weights_dir = weights.c_str();
  options.allow_nonfinite = 1;
  k3rt_model *model;
  k3rt_session *session;
  check(k3rt_model_load((folder / "lm.fatbin").c_str(), &options, &model));
  check(k3rt_session_create(model, nullptr, &session));
  int32_t poisoned;
  check(k3rt_slot_create(session, &poisoned));
  std::vector<int32_t> tokens = {3}, cu = {0, 1}, slots = {poisoned};
  std::vector<float> out(width);
  k3_tensor inputs[] = {ints("tokens", tokens), ints("cu_seqlens", cu),
                        ints("slots", slots)};
  k3_tensor output = floats("logits", out, {1, width});
  check(k3rt_run(session, "score", inputs, 3, &output, 1));
  std::string path = folder / "nan.safetensors";
  check(k3rt_slot_save(session, poisoned, path.c_str()));
  k3rt_session_destroy(session);
  k3rt_model_destroy(model);
  std::string text = refusal(runtime, slot, path);
  EXPECT_TRUE(contains(text, "state 'sum': element 0 is not finite")) << text;
}

TEST_F(SlotFile, refusesPathsThatCannotBe) {
  Runtime runtime = open();
  int32_t slot = runtime.newSlot();
  EXPECT_EQ(k3rt_slot_save(runtime.session, slot,
                           (folder / "no/such/folder.st").c_str()),
            K3_IO);
  EXPECT_EQ(
      k3rt_slot_load(runtime.session, slot, (folder / "nothing.st").c_str()),
      K3_IO);
  EXPECT_EQ(k3rt_slot_save(runtime.session, 1, (folder / "x").c_str()),
            K3_BAD_INPUT);
}

// Row G3: the earlier file stays when a save cannot finish.
TEST_F(SlotFile, leavesNoPartialFile) {
  Runtime runtime = open();
  int32_t slot = runtime.newSlot();
  save(runtime, slot);
  size_t files = 0;
  for ([[maybe_unused]] auto &file :
       std::filesystem::directory_iterator(folder.path))
    ++files;
  save(runtime, slot);
  for ([[maybe_unused]] auto &file :
       std::filesystem::directory_iterator(folder.path))
    --files;
  EXPECT_EQ(files, 0u);
}

} // namespace
