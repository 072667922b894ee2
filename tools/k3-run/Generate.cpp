// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Goes on from a prompt, token by token.

#include "Generate.h"

#include "Transcript.h"

#include "runtime/base/File.h"
#include "runtime/text/Chat.h"
#include "runtime/text/Sampler.h"
#include "tools/support/StandardOutput.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>

namespace k3::run {

namespace {

constexpr uint64_t mostPromptBytes = uint64_t(1) << 30;

Status readPrompt(const Options &options, std::string &out) {
  if (options.prompt == "-") {
    out.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else if (!options.promptFile.empty()) {
    std::vector<uint8_t> bytes;
    K3_TRY(readFile(options.promptFile, mostPromptBytes, bytes));
    out.assign(bytes.begin(), bytes.end());
  } else {
    out = options.prompt;
  }
  return {};
}

Status encodePrompt(const text::Tokenizer &tokenizer, const Options &options,
                    std::vector<int32_t> &ids) {
  std::string prompt;
  K3_TRY(readPrompt(options, prompt));
  if (!options.chat) {
    K3_TRY(tokenizer.encode(prompt, ids));
  } else {
    text::Message message;
    message.content = prompt;
    text::ChatOptions chat;
    chat.thinking = !options.noThinking;
    K3_TRY(text::encodeChat(tokenizer, {&message, 1}, chat, ids));
  }
  if (ids.empty())
    return Status::error(Code::BadInput, 720, "the prompt is empty");
  return {};
}

/// One sequence in one slot.
class Sequence {
public:
  Sequence(ModelSession &opened, const Options &options)
      : opened(opened), options(options) {}

  Failure start() {
    K3_RUN_TRY(k3rt_slot_create(opened.session, &slot));
    if (!options.loadState.empty())
      return k3rt_slot_load(opened.session, slot, options.loadState.c_str());
    return {};
  }
  Failure save() {
    if (options.saveState.empty())
      return {};
    return k3rt_slot_save(opened.session, slot, options.saveState.c_str());
  }
  /// Feeds tokens; `logits` are those of the last one.
  Failure feed(const char *entry, std::vector<int32_t> &tokens) {
    int32_t bounds[2] = {0, int32_t(tokens.size())};
    k3_tensor inputs[3] = {tensor("tokens", tokens.data(), tokens.size()),
                           tensor("cu_seqlens", bounds, 2),
                           tensor("slots", &slot, 1)};
    k3_tensor output;
    K3_RUN_TRY(k3rt_entry_output(opened.model, entry, 0, inputs, 3, &output));
    if (output.rank != 2 || output.dtype != K3_F32 || output.shape[0] != 1)
      return Status::error(Code::BadInput, 721,
                           std::string("entry '") + entry +
                               "' does not give one row of logits");
    logits.resize(size_t(output.shape[1]));
    output.data = logits.data();
    output.bytes = logits.size() * sizeof(float);
    return k3rt_run(opened.session, entry, inputs, 3, &output, 1);
  }

  std::vector<float> logits;

private:
  static k3_tensor tensor(const char *name, int32_t *data, size_t count) {
    k3_tensor out = {};
    out.name = name;
    out.dtype = K3_I32;
    out.rank = 1;
    out.shape[0] = int64_t(count);
    out.data = data;
    out.bytes = count * sizeof(int32_t);
    return out;
  }

  ModelSession &opened;
  const Options &options;
  int32_t slot = 0;
};

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Status show(const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return tools::flushOutput();
}

/// A slot for the prompt and the new tokens, or for what a saved state holds.
int64_t capacityFor(const Options &options, size_t promptTokens) {
  if (options.capacity > 0)
    return options.capacity;
  int64_t needed = int64_t(promptTokens) + options.newTokens;
  return options.loadState.empty() ? needed : std::max<int64_t>(needed, 4096);
}

struct Speed {
  size_t promptTokens = 0;
  int64_t newTokens = 0;
  double promptSeconds = 0, newSeconds = 0;

  void print() const {
    std::fprintf(stderr,
                 "prompt %zu tokens in %.3f s (%.0f/s), %lld new in %.3f s "
                 "(%.0f/s)\n",
                 promptTokens, promptSeconds,
                 double(promptTokens) / promptSeconds,
                 static_cast<long long>(newTokens), newSeconds,
                 newTokens ? double(newTokens) / newSeconds : 0.0);
  }
};

/// Chooses, shows and feeds back, until the end.
Failure continueText(Sequence &sequence, text::Sampler &sampler,
                     Transcript &transcript, const std::vector<int64_t> &ends,
                     const Options &options, const volatile bool &interrupted,
                     int64_t &made) {
  std::vector<int32_t> last(1);
  while (made < options.newTokens && !interrupted) {
    K3_RUN_TRY(sampler.choose(sequence.logits, last[0]));
    if (std::find(ends.begin(), ends.end(), last[0]) != ends.end())
      break;
    std::string shown;
    K3_RUN_TRY(transcript.add(last[0], shown));
    K3_RUN_TRY(show(shown));
    ++made;
    // The last token has no successor to choose, but a saved state needs it.
    if (made < options.newTokens || !options.saveState.empty())
      K3_RUN_TRY(sequence.feed("decode", last));
  }
  return show(transcript.finish() + "\n");
}

} // namespace

Failure generate(ModelSession &opened, const Options &options,
                 CommandTimes &times, const volatile bool &interrupted) {
  text::Tokenizer tokenizer;
  K3_RUN_TRY(text::Tokenizer::open(options.weights, tokenizer));
  std::vector<int32_t> ids;
  K3_RUN_TRY(encodePrompt(tokenizer, options, ids));
  text::Sampler sampler;
  K3_RUN_TRY(text::Sampler::create(
      {options.temperature, options.topP, options.topK, uint64_t(options.seed)},
      sampler));
  K3_RUN_TRY(opened.start(options, 1, capacityFor(options, ids.size())));
  K3_RUN_TRY(times.start(opened.session, options));
  Sequence sequence(opened, options);
  K3_RUN_TRY(sequence.start());

  Speed speed;
  speed.promptTokens = ids.size();
  Clock::time_point begin = Clock::now();
  K3_RUN_TRY(sequence.feed("prefill", ids));
  speed.promptSeconds = since(begin);
  begin = Clock::now();
  Transcript transcript(tokenizer);
  K3_RUN_TRY(continueText(sequence, sampler, transcript,
                          opened.numbers("eos_token_id"), options, interrupted,
                          speed.newTokens));
  speed.newSeconds = since(begin);
  K3_RUN_TRY(sequence.save());
  if (!options.quiet)
    speed.print();
  return {};
}

} // namespace k3::run
