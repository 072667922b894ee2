// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading: verify the artefact, plan, choose code, find kernels, map weights.

#include "runtime/run/Model.h"

#include "runtime/device/cpu/SelectCode.h"
#include "runtime/format/ArtefactReader.h"
#include "runtime/format/Artefact_generated.h"
#include "runtime/run/PlanBuilder.h"
#include "runtime/weights/WeightsLoader.h"

#include <algorithm>

using namespace k3;
using namespace k3::run;

struct Model::Storage {
  ArtefactFile artefact;
  std::vector<AlignedBuffer> weights;
};

namespace {

std::vector<cpu::CodeVariant> variantsOf(const artefact::Index &index) {
  std::vector<cpu::CodeVariant> variants;
  if (!index.code())
    return variants;
  for (const artefact::CodeObject *object : *index.code()) {
    cpu::CodeVariant variant;
    variant.target = object->target()->str();
    if (object->features())
      for (const flatbuffers::String *feature : *object->features())
        variant.features.push_back(feature->str());
    variants.push_back(std::move(variant));
  }
  return variants;
}

LoadOptions loadOptions(const ModelOptions &options) {
  LoadOptions wanted;
  wanted.allowNonfinite = options.allowNonfinite;
  wanted.progress = options.progress;
  wanted.progressUser = options.progressUser;
  return wanted;
}

} // namespace

Model::Model() : storage(std::make_unique<Storage>()) {}
Model::~Model() = default;

Status Model::load(const std::string &path, const ModelOptions &options,
                   std::shared_ptr<const Model> &out) {
  std::shared_ptr<Model> model(new Model);
  K3_TRY(model->loadFrom(path, options));
  out = std::move(model);
  return {};
}

Status Model::loadFrom(const std::string &path, const ModelOptions &options) {
  int ordinal;
  K3_TRY(parseDevice(options.device, ordinal));
  K3_TRY(ArtefactFile::open(path, storage->artefact));
  K3_TRY(buildPlan(storage->artefact.index(), modelPlan).in(path));
  if (ordinal >= 0)
    return loadOnGpu(ordinal, options).in(path);
  K3_TRY(loadCode(storage->artefact.index(), options.target).in(path));
  return loadOnCpu(options);
}

Status Model::loadOnCpu(const ModelOptions &options) {
  K3_TRY(loadWeights(storage->artefact.index(), options.weightsDir,
                     loadOptions(options), &storage->weights));
  for (const AlignedBuffer &weight : storage->weights)
    weightBlocks.push_back({weight.data(), int64_t(weight.size())});
  return {};
}

Status Model::loadOnGpu(int ordinal, const ModelOptions &options) {
  const ArtefactView &artefact = storage->artefact.view();
  K3_TRY(GpuModel::load(artefact, options.target, ordinal, options.allocator,
                        gpuModel));
  codeTarget = gpuModel->program().target();
  return gpuModel->loadWeights(*artefact.index, options.weightsDir,
                               loadOptions(options), weightBlocks);
}

Status Model::loadCode(const artefact::Index &index,
                       const std::string &target) {
  std::vector<cpu::CodeVariant> variants = variantsOf(index);
  size_t chosen;
  K3_TRY(cpu::selectCode(variants, cpu::CpuFeatures::detect(), target, chosen));
  codeTarget = variants[chosen].target;
  K3_TRY(cpu::SharedObject::load(
      storage->artefact.section(
          index.code()->Get(unsigned(chosen))->section()->str()),
      code));
  for (const KernelSpec &kernel : modelPlan.kernels) {
    void *address = code.find(kernel.symbol.c_str());
    if (!address)
      return Status::error(Code::BadInput, 422,
                           "the code for " + codeTarget + " has no kernel '" +
                               kernel.symbol + "'");
    functions.push_back(reinterpret_cast<cpu::KernelFn>(address));
    scratch = std::max(scratch, kernel.scratch);
  }
  return {};
}

Status Model::findEntry(const std::string &name, const EntryPlan *&out) const {
  std::string names;
  for (const EntryPlan &entry : modelPlan.entries) {
    out = &entry;
    if (entry.name == name)
      return {};
    names += (names.empty() ? "'" : ", '") + entry.name + "'";
  }
  return Status::error(Code::BadUsage, 403,
                       "there is no entry point '" + name + "' (wanted " +
                           (names.empty() ? "none" : names) + ")");
}
