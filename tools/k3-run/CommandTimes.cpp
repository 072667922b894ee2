// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time of each command.

#include "CommandTimes.h"

#include "runtime/base/AtomicFile.h"
#include "runtime/base/Escape.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace k3::run {

Failure CommandTimes::start(k3rt_session *session, const Options &options) {
  on = options.profile || !options.trace.empty();
  if (!on)
    return {};
  return k3rt_session_trace(
      session,
      [](void *user, const char *label, int64_t start, int64_t end,
         int64_t workgroups) {
        static_cast<CommandTimes *>(user)->events.push_back(
            {label, start, end, workgroups});
      },
      this);
}

/// Layers of one kind are one row: digits after "layers." become "*".
static std::string kindOf(const std::string &label) {
  std::string kind;
  size_t at = 0;
  while (at < label.size()) {
    size_t layer = label.find("layers.", at);
    if (layer == std::string::npos)
      break;
    size_t digits = layer + 7;
    kind.append(label, at, digits - at);
    kind += '*';
    at = label.find_first_not_of("0123456789", digits);
    at = std::min(at, label.size());
  }
  return kind + label.substr(std::min(at, label.size()));
}

void CommandTimes::printTable() const {
  struct Row {
    int64_t calls = 0, time = 0;
  };
  std::map<std::string, Row> rows;
  int64_t total = 0;
  for (const Event &event : events) {
    Row &row = rows[kindOf(event.label)];
    ++row.calls;
    row.time += event.end - event.start;
    total += event.end - event.start;
  }
  std::vector<std::pair<std::string, Row>> sorted(rows.begin(), rows.end());
  std::sort(sorted.begin(), sorted.end(), [](auto &a, auto &b) {
    return a.second.time != b.second.time ? a.second.time > b.second.time
                                          : a.first < b.first;
  });
  std::fprintf(stderr, "%8s %10s %10s %7s  %s\n", "calls", "total ms",
               "mean us", "share", "command");
  for (const auto &[kind, row] : sorted)
    std::fprintf(stderr, "%8lld %10.3f %10.2f %6.1f%%  %s\n",
                 static_cast<long long>(row.calls), double(row.time) * 1e-6,
                 double(row.time) * 1e-3 / double(row.calls),
                 total ? 100.0 * double(row.time) / double(total) : 0.0,
                 shortened(escaped(kind), 100).c_str());
  std::fprintf(stderr, "%8zu %10.3f %29s\n", events.size(),
               double(total) * 1e-6, "all");
}

Status CommandTimes::writeTrace(const std::string &path) const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Event &event : events)
    list.push_back({{"name", escaped(event.label)},
                    {"ph", "X"},
                    {"ts", double(event.start) * 1e-3},
                    {"dur", double(event.end - event.start) * 1e-3},
                    {"pid", 1},
                    {"tid", 1},
                    {"args", {{"workgroups", event.workgroups}}}});
  nlohmann::ordered_json trace = {{"displayTimeUnit", "ns"},
                                  {"traceEvents", std::move(list)}};
  AtomicFile file;
  K3_TRY(file.create(path));
  K3_TRY(file.write(trace.dump()));
  return file.commit();
}

Failure CommandTimes::finish(const Options &options) {
  if (!on)
    return {};
  if (options.profile)
    printTable();
  if (!options.trace.empty())
    return writeTrace(options.trace);
  return {};
}

} // namespace k3::run
