// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command lines read by a table of flags.

#include "tools/support/Flags.h"

#include "runtime/base/Escape.h"

#include <charconv>
#include <cstdio>

namespace k3::tools {

namespace {

constexpr int usageError = 440;

Status usage(std::string text) {
  return Status::error(Code::BadUsage, usageError, std::move(text),
                       "--help lists the flags");
}

template <typename T> bool parseWhole(std::string_view text, T &out) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

std::string shortNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

} // namespace

void Flags::add(const char *name, bool takesValue, bool repeats,
                std::function<Status(std::string_view)> set, const char *help) {
  flags.push_back({name, takesValue, repeats, std::move(set), help});
}

void Flags::text(const char *name, std::string *out, const char *help) {
  add(
      name, true, false,
      [out](std::string_view value) {
        *out = value;
        return Status();
      },
      help);
}

void Flags::number(const char *name, double least, double most, double *out,
                   const char *help) {
  add(
      name, true, false,
      [=](std::string_view value) -> Status {
        if (parseWhole(value, *out) && *out >= least && *out <= most)
          return {};
        return usage(std::string(name) + ": not a number in range (wanted " +
                     shortNumber(least) + " to " + shortNumber(most) +
                     ", got " + quote(value) + ")");
      },
      help);
}

void Flags::integer(const char *name, int64_t least, int64_t most, int64_t *out,
                    const char *help) {
  add(
      name, true, false,
      [=](std::string_view value) -> Status {
        if (parseWhole(value, *out) && *out >= least && *out <= most)
          return {};
        return usage(std::string(name) +
                     ": not a whole number in range "
                     "(wanted " +
                     std::to_string(least) + " to " + std::to_string(most) +
                     ", got " + quote(value) + ")");
      },
      help);
}

void Flags::list(const char *name, std::vector<std::string> *out,
                 const char *help) {
  add(
      name, true, true,
      [out](std::string_view value) {
        out->emplace_back(value);
        return Status();
      },
      help);
}

void Flags::toggle(const char *name, bool *out, const char *help) {
  add(
      name, false, false,
      [out](std::string_view) {
        *out = true;
        return Status();
      },
      help);
}

void Flags::choice(const char *name, std::vector<std::string> values,
                   std::string *out, const char *help) {
  add(
      name, true, false,
      [=](std::string_view value) -> Status {
        std::string known;
        for (const std::string &candidate : values) {
          if (value == candidate) {
            *out = value;
            return {};
          }
          known += (known.empty() ? "" : ", ") + candidate;
        }
        return usage(std::string(name) + ": unknown value (wanted one of " +
                     known + ", got " + quote(value) + ")");
      },
      help);
}

void Flags::positional(const char *name, std::string *out) {
  positionals.push_back({name, out});
}

Status Flags::give(Flag &flag, std::string_view value) {
  if (flag.given && !flag.repeats)
    return usage(flag.name + ": given twice");
  flag.given = true;
  return flag.set(value);
}

Status Flags::givePositional(std::string_view value) {
  if (nextPositional == positionals.size())
    return usage(quote(value) + ": one argument too many");
  *positionals[nextPositional++].second = value;
  return {};
}

Status Flags::parse(int argc, char **argv) {
  bool onlyPositional = false;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (onlyPositional || !argument.starts_with("-") || argument == "-") {
      K3_TRY(givePositional(argument));
      continue;
    }
    if (argument == "--") {
      onlyPositional = true;
      continue;
    }
    if (argument == "--help" || argument == "-h")
      return wantsHelp = true, Status();
    if (argument == "--version")
      return wantsVersion = true, Status();
    size_t equals = argument.find('=');
    std::string_view name = argument.substr(0, equals);
    Flag *flag = nullptr;
    for (Flag &candidate : flags)
      if (candidate.name == name)
        flag = &candidate;
    if (!flag)
      return usage(quote(name) + ": unknown flag");
    bool attached = equals != std::string_view::npos;
    if (!flag->takesValue) {
      if (attached)
        return usage(flag->name + ": takes no value");
      K3_TRY(give(*flag, {}));
    } else if (attached) {
      K3_TRY(give(*flag, argument.substr(equals + 1)));
    } else if (i + 1 < argc) {
      K3_TRY(give(*flag, argv[++i]));
    } else {
      return usage(flag->name + ": wants a value");
    }
  }
  if (nextPositional < positionals.size())
    return usage(positionals[nextPositional].first + " is missing");
  return {};
}

std::string Flags::helpText() const {
  std::string text = "usage: " + synopsis + "\n\n";
  auto row = [&](const std::string &name, const std::string &help) {
    text += "  " + name;
    text += name.size() < 26 ? std::string(26 - name.size(), ' ')
                             : "\n" + std::string(28, ' ');
    text += help + "\n";
  };
  for (const Flag &flag : flags)
    row(flag.name + (flag.takesValue ? "=VALUE" : ""), flag.help);
  row("--help", "show this");
  row("--version", "show the version");
  text += "\nexit codes: 0 done, 1 input refused, 2 usage, 3 environment, 4 "
          "resources, 5 files,\n6 device fault, 7 check failed, 70 a fault of "
          "the tool, 128+n ended by signal n\n";
  return text;
}

int report(const char *tool, const Status &status) {
  if (!status.ok())
    std::fprintf(stderr, "%s: %s\n", tool, status.render().c_str());
  return int(status.code());
}

} // namespace k3::tools
