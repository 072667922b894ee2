// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time of each command: a table for people, a trace for Chrome and Perfetto.

#ifndef K3_TOOLS_K3_RUN_COMMANDTIMES_H
#define K3_TOOLS_K3_RUN_COMMANDTIMES_H

#include "ModelSession.h"

namespace k3::run {

class CommandTimes {
public:
  /// Listens to a session when the options ask for a profile or a trace.
  Failure start(k3rt_session *session, const Options &options);
  /// Prints the table to stderr and writes the trace.
  Failure finish(const Options &options);

private:
  struct Event {
    std::string label;
    int64_t start, end, workgroups;
  };
  void printTable() const;
  Status writeTrace(const std::string &path) const;

  std::vector<Event> events;
  bool on = false;
};

} // namespace k3::run

#endif // K3_TOOLS_K3_RUN_COMMANDTIMES_H
