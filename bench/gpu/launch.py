"""Launches kernels that k3-kernel wrote, and times them by graph replay."""

import ctypes
import json
import statistics

import torch

cuda = ctypes.CDLL("libcuda.so.1")


def check(code, what):
    if code:
        raise SystemExit(f"{what}: CUDA error {code}")


class Kernel:
    """One kernel of a cubin, launched on torch's current stream."""

    def __init__(self, folder, name):
        self.facts = json.loads((folder / f"{name}.json").read_text())
        image = (folder / f"{name}.cubin").read_bytes()
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        check(cuda.cuModuleLoadData(ctypes.byref(module), image), "load")
        check(cuda.cuModuleGetFunction(ctypes.byref(function), module,
                                       self.facts["entry"].encode()), "entry")
        check(cuda.cuFuncSetAttribute(function, 8, self.facts["shared_bytes"]),
              "shared memory")
        self.function = function

    def launch(self, blocks, arguments):
        """Tensors are passed as pointers, integers as 64 bits."""
        values = [ctypes.c_int64(a) if isinstance(a, int)
                  else ctypes.c_void_p(a.data_ptr()) for a in arguments]
        pointers = (ctypes.c_void_p * len(values))(
            *[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        check(cuda.cuLaunchKernel(self.function, blocks, 1, 1,
                                  self.facts["threads"], 1, 1,
                                  self.facts["shared_bytes"], stream, pointers,
                                  None), "launch")


def graph_time(call, replays=15, calls=4):
    call(0)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(calls):
            call(i)
    times = []
    for _ in range(replays + 3):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1e3 / calls)
    return statistics.median(times[3:])
