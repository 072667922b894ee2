// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows and extracts what an artefact holds.

#include "Describe.h"
#include "Extract.h"

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
  std::string artefact, entry, output;
  Extraction extraction;
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
  flags.text("--section", &o.extraction.section,
             "extract a section with -o; objdump -d reads the code ones");
  flags.text("--extract", &o.extraction.image,
             "extract a GPU kernel's image with -o: cubin or ptx");
  flags.text("--kernel", &o.extraction.kernel, "of --extract");
  flags.text("--target", &o.extraction.target,
             "of --extract; the first GPU target if left out");
  flags.text("-o", &o.output, "file for what is extracted; - is stdout");
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

Status checkFlags(const Options &options) {
  const Extraction &e = options.extraction;
  if (!e.wanted() && !options.output.empty())
    return Status::error(Code::BadUsage, 454,
                         "-o goes with --section or --extract");
  if (!e.section.empty() && !e.image.empty())
    return Status::error(Code::BadUsage, 455,
                         "--section and --extract do not go together");
  if (e.image.empty() ? !e.kernel.empty() || !e.target.empty()
                      : e.kernel.empty())
    return Status::error(Code::BadUsage, 455,
                         "--extract needs --kernel, which goes with it alone, "
                         "as --target does");
  return {};
}

Status extract(const ArtefactFile &file, const Options &options) {
  std::span<const uint8_t> bytes;
  K3_TRY(find(file.view(), options.extraction, bytes)
             .in(escaped(options.artefact)));
  std::error_code ignored;
  if (std::filesystem::equivalent(options.output, options.artefact, ignored))
    return Status::error(Code::BadUsage, 453,
                         escaped(options.output) +
                             " is the artefact and would be overwritten");
  AtomicFile out;
  K3_TRY(out.create(options.output.empty() ? "-" : options.output));
  K3_TRY(out.write(bytes));
  return out.commit();
}

Status run(const Options &options) {
  K3_TRY(checkFlags(options));
  ArtefactFile file;
  K3_TRY(ArtefactFile::open(options.artefact, file));
  if (options.extraction.wanted())
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
