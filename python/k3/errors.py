# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One exception class for each code of `k3_code`; `code` holds the number."""


class Error(RuntimeError):
    """A k3 call that did not succeed. `str(error)` is the one-line message."""

    code = 70


class ArtifactError(Error):
    """A model, artefact, weight, state or argument was refused (K3_BAD_INPUT)."""

    code = 1


class UsageError(Error):
    """The call itself is wrong, e.g. an unknown entry (K3_BAD_USAGE)."""

    code = 2


class EnvironmentError(Error):
    """The artefact has no code for this machine (K3_ENVIRONMENT)."""

    code = 3


class ResourceError(Error):
    """Memory or a limit (K3_RESOURCES)."""

    code = 4


class IOError(Error):
    """A file could not be opened, read, written or renamed (K3_IO)."""

    code = 5


class DeviceError(Error):
    """The device failed and the session is lost (K3_DEVICE_FAULT)."""

    code = 6


class CheckError(Error):
    """A result is out of bounds (K3_CHECK_FAILED)."""

    code = 7


class BusyError(Error):
    """The session is in use by another thread (K3_BUSY)."""

    code = 8


class InternalError(Error):
    """A fault of k3 itself (K3_INTERNAL)."""

    code = 70


BY_CODE = {
    kind.code: kind
    for kind in (ArtifactError, UsageError, EnvironmentError, ResourceError,
                 IOError, DeviceError, CheckError, BusyError, InternalError)
}
