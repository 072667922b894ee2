# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shared library libk3rt and the C types of its header."""

import ctypes
import os
import pathlib

import numpy as np

MAX_RANK = 8

F32, BF16, F16, F64, I32, I64, U8 = range(7)

NUMPY = {
    F32: np.float32, F16: np.float16, F64: np.float64, I32: np.int32,
    I64: np.int64, U8: np.uint8,
    BF16: np.uint16,  # the bits; converted to and from float32 at the border
}


class Tensor(ctypes.Structure):
    """k3_tensor."""

    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int),
                ("rank", ctypes.c_int32), ("shape", ctypes.c_int64 * MAX_RANK),
                ("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t),
                ("memory", ctypes.c_int)]


ProgressFn = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64,
                              ctypes.c_uint64)


class Allocator(ctypes.Structure):
    """k3rt_allocator; its functions are not used from Python."""

    _fields_ = [("allocate", ctypes.c_void_p), ("release", ctypes.c_void_p),
                ("user", ctypes.c_void_p)]


class ModelOptions(ctypes.Structure):
    """k3rt_model_options."""

    _fields_ = [("struct_size", ctypes.c_size_t),
                ("weights_dir", ctypes.c_char_p), ("target", ctypes.c_char_p),
                ("allow_nonfinite", ctypes.c_int32), ("progress", ProgressFn),
                ("progress_user", ctypes.c_void_p),
                ("device", ctypes.c_char_p), ("allocator", Allocator)]


class SessionOptions(ctypes.Structure):
    """k3rt_session_options."""

    _fields_ = [("struct_size", ctypes.c_size_t), ("threads", ctypes.c_int32),
                ("slots", ctypes.c_int64), ("capacity", ctypes.c_int64),
                ("use_stream", ctypes.c_int32), ("stream", ctypes.c_void_p)]


def _find():
    """K3_LIBRARY, or libk3rt beside this package, or the system's."""
    named = os.environ.get("K3_LIBRARY")
    if named:
        return named
    beside = pathlib.Path(__file__).with_name("libk3rt.so")
    return str(beside) if beside.exists() else "libk3rt.so"


def _open():
    lib = ctypes.CDLL(_find())
    handle, text = ctypes.c_void_p, ctypes.c_char_p
    slot = ctypes.c_int32
    tensors, count = ctypes.POINTER(Tensor), ctypes.c_int32
    signatures = {
        "k3rt_version": (text, []),
        "k3rt_last_error": (text, []),
        "k3rt_model_load": (ctypes.c_int, [
            text, ctypes.POINTER(ModelOptions), ctypes.POINTER(handle)]),
        "k3rt_model_destroy": (None, [handle]),
        "k3rt_model_metadata": (text, [handle, text]),
        "k3rt_session_create": (ctypes.c_int, [
            handle, ctypes.POINTER(SessionOptions), ctypes.POINTER(handle)]),
        "k3rt_session_destroy": (None, [handle]),
        "k3rt_slot_create": (ctypes.c_int, [handle, ctypes.POINTER(slot)]),
        "k3rt_slot_release": (ctypes.c_int, [handle, slot]),
        "k3rt_slot_reset": (ctypes.c_int, [handle, slot]),
        "k3rt_slot_fork": (ctypes.c_int, [
            handle, slot, ctypes.POINTER(slot)]),
        "k3rt_slot_length": (ctypes.c_int, [
            handle, slot, ctypes.POINTER(ctypes.c_int64)]),
        "k3rt_slot_save": (ctypes.c_int, [handle, slot, text]),
        "k3rt_slot_load": (ctypes.c_int, [handle, slot, text]),
        "k3rt_slot_read": (ctypes.c_int, [handle, slot, text, tensors]),
        "k3rt_run": (ctypes.c_int, [handle, text, tensors, count, tensors,
                                    count]),
        "k3rt_entry_input": (ctypes.c_int, [
            handle, text, ctypes.c_int32, tensors]),
        "k3rt_entry_output": (ctypes.c_int, [
            handle, text, ctypes.c_int32, tensors, count, tensors]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


LIB = _open()
