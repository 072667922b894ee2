// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows and extracts what an artefact holds.

#include "Describe.h"

#include "runtime/base/AtomicFile.h"
#include "runtime/base/Escape.h"
#include "runtime/format/Artefact_generated.h"
#include "tools/support/Flags.h"
#include "tools/support/StandardOutput.h"

#include <cstdio>
#include <filesystem>

using namespace k3;
using namespace k3::objdump;

namespace {

struct Options {
  std::string artefact, entry, section, output;
  bool weights = false, states = false, kernels = false, json = false;

  bool selects() const {
    return !entry.empty() || weights || states || kernels;
  }
};

void declareFlags(tools::Flags &flags, Options &o) {
  flags.positional("ARTEFACT", &o.artefact);
  flags.text("--entry", &o.entry, "show this entry point with its commands");
  flags.toggle("--weights", &o.weights, "show the weights plan");
  flags.toggle("--states", &o.states, "show what a slot holds");
  flags.toggle("--kernels", &o.kernels, "show the kernels");
  flags.toggle("--json", &o.json, "as JSON");
  flags.text("--section", &o.section,
             "extract a section with -o; objdump -d reads the code ones");
  flags.text("-o", &o.output, "file for the section; - is stdout");
}

Status extract(const ArtefactFile &file, const Options &options) {
  std::string known;
  for (const ArtefactSection &section : file.view().sections) {
    if (section.name == options.section) {
      std::error_code ignored;
      if (std::filesystem::equivalent(options.output, options.artefact,
                                      ignored))
        return Status::error(Code::BadUsage, 453,
                             escaped(options.output) +
                                 " is the artefact and would be overwritten");
      AtomicFile out;
      K3_TRY(out.create(options.output.empty() ? "-" : options.output));
      K3_TRY(out.write(section.bytes));
      return out.commit();
    }
    known += (known.empty() ? "" : ", ") + section.name;
  }
  return Status::error(Code::BadUsage, 450,
                       escaped(options.artefact) + ": no section " +
                           quote(options.section) + " (has " + known + ")");
}

Status describe(const ArtefactFile &file, const Options &options, Json &out) {
  const artefact::Index &index = file.index();
  bool all = !options.selects();
  if (all)
    out = describeFile(file.view());
  if (all || options.weights)
    out["weights"] = describeWeights(index);
  if (all || options.states)
    out["states"] = describeStates(index);
  if (all || options.kernels)
    out["kernels"] = describeKernels(index);
  bool found = false;
  for (unsigned i = 0; index.entries() && i < index.entries()->size(); ++i) {
    bool wanted = index.entries()->Get(i)->name()->str() == options.entry;
    found |= wanted;
    if (all || wanted)
      out["entries"].push_back(describeEntry(index, i));
  }
  if (options.entry.empty() || found)
    return {};
  return Status::error(Code::BadUsage, 451,
                       escaped(options.artefact) + ": no entry point " +
                           quote(options.entry));
}

/// A line a value; lists of records become a line a record.
void print(const Json &json, int depth) {
  std::string indent(size_t(depth) * 2, ' ');
  for (const auto &[key, value] : json.items()) {
    bool nested = value.is_structured() && !value.empty() &&
                  value.begin()->is_structured();
    if (value.is_object() || nested) {
      std::printf("%s%s:\n", indent.c_str(), escaped(key).c_str());
      print(value, depth + 1);
    } else {
      std::string text =
          value.is_string() ? value.get<std::string>() : value.dump();
      std::printf("%s%s: %s\n", indent.c_str(), escaped(key).c_str(),
                  escaped(text).c_str());
    }
  }
}

Status run(const Options &options) {
  if (options.section.empty() && !options.output.empty())
    return Status::error(Code::BadUsage, 454, "-o goes with --section");
  ArtefactFile file;
  K3_TRY(ArtefactFile::open(options.artefact, file));
  if (!options.section.empty())
    return extract(file, options);
  Json json = Json::object();
  K3_TRY(describe(file, options, json));
  if (options.json)
    std::printf("%s\n", json.dump(2).c_str());
  else
    print(json, 0);
  return {};
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  tools::Flags flags("k3-objdump ARTEFACT [flags]");
  declareFlags(flags, options);
  Status status = flags.parse(argc, argv);
  if (status.ok() && flags.wantsHelp)
    std::fputs(flags.helpText().c_str(), stdout);
  else if (status.ok() && flags.wantsVersion)
    std::printf("k3-objdump %s\n", K3_VERSION);
  else if (status.ok())
    status = run(options);
  if (status.ok())
    status = tools::flushOutput();
  return tools::report("k3-objdump", status);
}
