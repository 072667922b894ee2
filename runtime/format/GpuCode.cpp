// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which machines a target's code runs on, as NVIDIA promises it: machine code
// on later minor versions of the same major one, PTX on everything later,
// unless a suffix narrows it.

#include "runtime/format/GpuCode.h"

#include <charconv>

using namespace k3;

std::optional<GpuCapability> k3::parseGpuCapability(std::string_view name) {
  GpuCapability target;
  constexpr std::string_view real = "sm_", virtualName = "compute_";
  target.isVirtual = name.starts_with(virtualName);
  if (!target.isVirtual && !name.starts_with(real))
    return std::nullopt;
  name.remove_prefix(target.isVirtual ? virtualName.size() : real.size());
  if (name.ends_with('a') || name.ends_with('f')) {
    target.suffix = name.back();
    name.remove_suffix(1);
  }
  int number = 0;
  auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), number);
  bool isNumber = error == std::errc() && end == name.data() + name.size() &&
                  name.size() >= 2 && name.size() <= 3 && name[0] != '0' &&
                  name[0] != '-';
  if (!isNumber)
    return std::nullopt;
  target.major = number / 10;
  target.minor = number % 10;
  return target;
}

bool GpuCapability::fits(int deviceMajor, int deviceMinor) const {
  if (isVirtual || deviceMajor != major)
    return false;
  return suffix == 'a' ? deviceMinor == minor : deviceMinor >= minor;
}

bool GpuCapability::compilesFor(int deviceMajor, int deviceMinor) const {
  if (suffix == 'a')
    return deviceMajor == major && deviceMinor == minor;
  if (suffix == 'f')
    return deviceMajor == major && deviceMinor >= minor;
  return deviceMajor > major || (deviceMajor == major && deviceMinor >= minor);
}
