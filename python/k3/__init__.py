# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run k3 artefacts from Python, over the C ABI of runtime/include/k3rt.h."""

from k3.errors import (ArtifactError, BusyError, CheckError, DeviceError,
                       EnvironmentError, Error, InternalError, IOError,
                       ResourceError, UsageError)
from k3.runtime import Model, Session, load, version

__all__ = [
    "ArtifactError", "BusyError", "CheckError", "DeviceError",
    "EnvironmentError", "Error", "InternalError", "IOError", "Model",
    "ResourceError", "Session", "UsageError", "load", "version",
]
