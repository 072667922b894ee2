# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models and sessions on numpy arrays.

BF16 tensors are float32 arrays on this side: inputs are rounded to nearest
even, outputs widened exactly.
"""

import ctypes
import os

import numpy as np

from k3 import errors
from k3.library import (BF16, LIB, NUMPY, ModelOptions, ProgressFn,
                        SessionOptions, Tensor)


def version():
    """The version of the runtime, e.g. "0.1.0"."""
    return LIB.k3rt_version().decode()


def _check(code):
    if code:
        text = LIB.k3rt_last_error().decode(errors="replace")
        raise errors.BY_CODE.get(code, errors.Error)(text)


def _to_bf16(array):
    """Bits of float32 values rounded to nearest even; NaN stays NaN."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    nan = np.isnan(array)
    return np.where(nan, (bits >> 16) | 0x40, rounded).astype(np.uint16)


def _from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _describe(name, dtype, array):
    tensor = Tensor(name=name.encode(), dtype=dtype, rank=array.ndim,
                    data=array.ctypes.data, bytes=array.nbytes)
    tensor.shape[:array.ndim] = array.shape
    return tensor


class Model:
    """A loaded artefact with its weights; immutable and shareable."""

    def __init__(self, path, weights=None, target=None, allow_nonfinite=False,
                 progress=None, device=None):
        self._handle = ctypes.c_void_p()
        callback = ProgressFn(
            (lambda _, done, total: progress(done, total)) if progress else 0)
        options = ModelOptions(
            struct_size=ctypes.sizeof(ModelOptions),
            weights_dir=os.fsencode(weights) if weights else None,
            target=target.encode() if target else None,
            allow_nonfinite=int(allow_nonfinite), progress=callback,
            device=device.encode() if device else None)
        _check(LIB.k3rt_model_load(os.fsencode(path), ctypes.byref(options),
                                   ctypes.byref(self._handle)))

    def __del__(self):
        if getattr(self, "_handle", None):
            LIB.k3rt_model_destroy(self._handle)
            self._handle = None

    def metadata(self, key):
        """What the importer wrote under `key`, or None."""
        value = LIB.k3rt_model_metadata(self._handle, key.encode())
        return value.decode() if value is not None else None

    def session(self, threads=0, slots=1, capacity=4096):
        """A session: `slots` sequences of up to `capacity` tokens."""
        return Session(self, threads, slots, capacity)


class Session:
    """Runs entry points; its slots hold what sequences have seen."""

    def __init__(self, model, threads, slots, capacity):
        self.model = model
        self._handle = ctypes.c_void_p()
        options = SessionOptions(struct_size=ctypes.sizeof(SessionOptions),
                                 threads=threads, slots=slots,
                                 capacity=capacity)
        _check(LIB.k3rt_session_create(model._handle, ctypes.byref(options),
                                       ctypes.byref(self._handle)))

    def __del__(self):
        if getattr(self, "_handle", None):
            LIB.k3rt_session_destroy(self._handle)
            self._handle = None

    def create(self):
        """A fresh slot."""
        slot = ctypes.c_int32()
        _check(LIB.k3rt_slot_create(self._handle, ctypes.byref(slot)))
        return slot.value

    def release(self, slot):
        _check(LIB.k3rt_slot_release(self._handle, slot))

    def reset(self, slot):
        _check(LIB.k3rt_slot_reset(self._handle, slot))

    def fork(self, slot):
        """A copy of a slot."""
        copy = ctypes.c_int32()
        _check(LIB.k3rt_slot_fork(self._handle, slot, ctypes.byref(copy)))
        return copy.value

    def length(self, slot):
        """How many tokens a slot has seen."""
        tokens = ctypes.c_int64()
        _check(LIB.k3rt_slot_length(self._handle, slot, ctypes.byref(tokens)))
        return tokens.value

    def save(self, slot, path):
        _check(LIB.k3rt_slot_save(self._handle, slot, os.fsencode(path)))

    def load(self, slot, path):
        _check(LIB.k3rt_slot_load(self._handle, slot, os.fsencode(path)))

    def read(self, slot, state):
        """One state of a slot, e.g. "layers.0.kda_state"; a per-token state
        gives the rows of the tokens seen so far."""
        probe = Tensor()
        _check(LIB.k3rt_slot_read(self._handle, slot, state.encode(),
                                  ctypes.byref(probe)))
        array = np.empty(probe.shape[:probe.rank], NUMPY[probe.dtype])
        out = _describe(state, probe.dtype, array)
        _check(LIB.k3rt_slot_read(self._handle, slot, state.encode(),
                                  ctypes.byref(out)))
        return _from_bf16(array) if probe.dtype == BF16 else array

    def run(self, entry, **inputs):
        """Runs an entry point on named arrays; returns a dict of outputs."""
        entry = entry.encode()
        wanted, kept, tensors = self._inputs(entry), [], []
        for name, array in inputs.items():
            dtype = wanted.get(name)
            if dtype == BF16:
                array = _to_bf16(array)
            elif dtype is not None:
                array = np.ascontiguousarray(array, NUMPY[dtype])
            else:
                raise errors.UsageError(f"{entry.decode()}: no input '{name}'")
            kept.append(array)
            tensors.append(_describe(name, dtype, array))
        given = (Tensor * max(1, len(tensors)))(*tensors)
        arrays, described = {}, []
        while True:
            out = Tensor()
            if LIB.k3rt_entry_output(self.model._handle, entry, len(described),
                                     given, len(tensors), ctypes.byref(out)):
                break
            array = np.empty(out.shape[:out.rank], NUMPY[out.dtype])
            arrays[out.name.decode()] = (out.dtype, array)
            described.append(_describe(out.name.decode(), out.dtype, array))
        results = (Tensor * max(1, len(described)))(*described)
        _check(LIB.k3rt_run(self._handle, entry, given, len(tensors), results,
                            len(described)))
        return {name: _from_bf16(array) if dtype == BF16 else array
                for name, (dtype, array) in arrays.items()}

    def _inputs(self, entry):
        wanted = {}
        while True:
            tensor = Tensor()
            if LIB.k3rt_entry_input(self.model._handle, entry, len(wanted),
                                    ctypes.byref(tensor)):
                return wanted
            wanted[tensor.name.decode()] = tensor.dtype


def load(path, weights=None, **options):
    """Loads an artefact; see `Model` for the options."""
    return Model(path, weights, **options)
