// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a plan must satisfy before anything runs by it.

#ifndef K3_RUNTIME_RUN_PLANCHECK_H
#define K3_RUNTIME_RUN_PLANCHECK_H

#include "runtime/base/Status.h"
#include "runtime/run/Plan.h"

namespace k3::run {

/// Refuses a plan that names what does not exist or leaves a dynamic
/// dimension without a value.
Status checkPlan(const ModelPlan &plan);

} // namespace k3::run

#endif // K3_RUNTIME_RUN_PLANCHECK_H
