// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loaded model and one session, with a bar for its weights.

#include "ModelSession.h"

#include <charconv>
#include <chrono>
#include <unistd.h>

namespace k3::run {

namespace {

using Clock = std::chrono::steady_clock;

/// Shows bytes, speed and the time left: on a terminal a line that is drawn
/// again, else a line every ten seconds.
class WeightsBar {
public:
  explicit WeightsBar(const Options &options)
      : redraws(isatty(2) && options.progress == "auto"),
        on(!options.quiet && options.progress != "none") {}

  void show(uint64_t done, uint64_t total) {
    double seconds =
        std::chrono::duration<double>(Clock::now() - start).count();
    bool last = done == total;
    double pause = redraws ? 0.1 : 10;
    if (!on || (seconds - shown < pause && !(last && shown > 0)))
      return;
    shown = seconds;
    double speed = seconds > 0 ? double(done) / seconds : 0;
    double left = speed > 0 ? double(total - done) / speed : 0;
    std::fprintf(
        stderr, "%sweights %3.0f %%  %.2f of %.2f GB  %.2f GB/s  %.0f s left%s",
        redraws ? "\r" : "",
        total ? 100.0 * double(done) / double(total) : 100.0,
        double(done) * 1e-9, double(total) * 1e-9, speed * 1e-9, left,
        redraws && !last ? "" : "\n");
  }

private:
  Clock::time_point start = Clock::now();
  double shown = 0;
  bool redraws, on;
};

} // namespace

ModelSession::~ModelSession() {
  k3rt_session_destroy(session);
  k3rt_model_destroy(model);
}

Failure ModelSession::open(const Options &options) {
  WeightsBar bar(options);
  k3rt_model_options modelOptions = {};
  modelOptions.struct_size = sizeof modelOptions;
  modelOptions.weights_dir =
      options.weights.empty() ? nullptr : options.weights.c_str();
  modelOptions.target =
      options.target.empty() ? nullptr : options.target.c_str();
  modelOptions.device =
      options.device.empty() ? nullptr : options.device.c_str();
  modelOptions.allow_nonfinite = options.allowNonfinite;
  modelOptions.progress = [](void *user, uint64_t done, uint64_t total) {
    static_cast<WeightsBar *>(user)->show(done, total);
  };
  modelOptions.progress_user = &bar;
  return k3rt_model_load(options.artefact.c_str(), &modelOptions, &model);
}

Failure ModelSession::start(const Options &options, int64_t slots,
                            int64_t capacity) {
  k3rt_session_options sessionOptions = {};
  sessionOptions.struct_size = sizeof sessionOptions;
  sessionOptions.threads = int32_t(options.threads);
  sessionOptions.slots = slots;
  sessionOptions.capacity = capacity;
  return k3rt_session_create(model, &sessionOptions, &session);
}

std::vector<int64_t> ModelSession::numbers(const char *key) const {
  std::vector<int64_t> values;
  const char *text = k3rt_model_metadata(model, key);
  std::string_view rest = text ? text : "";
  while (!rest.empty()) {
    std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(item.data(), item.data() + item.size(), value);
    if (error == std::errc() && end == item.data() + item.size())
      values.push_back(value);
  }
  return values;
}

} // namespace k3::run
