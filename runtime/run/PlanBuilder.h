// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the index of an artefact to the plan that calls work with.

#ifndef K3_RUNTIME_RUN_PLANBUILDER_H
#define K3_RUNTIME_RUN_PLANBUILDER_H

#include "runtime/base/Status.h"
#include "runtime/run/Plan.h"

namespace k3::artefact {
struct Index;
}

namespace k3::run {

/// Copies `index`, whose structure is verified, and checks what a run relies
/// on: every number that names something names something that exists, and
/// every dynamic dimension gets its value from an input or the session.
Status buildPlan(const artefact::Index &index, ModelPlan &out);

} // namespace k3::run

#endif // K3_RUNTIME_RUN_PLANBUILDER_H
