// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the CUDA driver API that k3 uses, declared here so that building
// needs no CUDA. Names and numbers are those of cuda.h.

#ifndef K3_RUNTIME_DEVICE_CUDA_API_H
#define K3_RUNTIME_DEVICE_CUDA_API_H

#include <cstddef>
#include <cstdint>

namespace k3::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = struct ContextHandle *;
using CUmodule = struct ModuleHandle *;
using CUfunction = struct FunctionHandle *;
using CUstream = struct StreamHandle *;
using CUevent = struct EventHandle *;
using CUgraph = struct GraphHandle *;
using CUgraphExec = struct GraphExecHandle *;

/// Results that are told apart; all others are named by the driver.
enum : CUresult {
  success = 0,
  invalidValue = 1,
  outOfMemory = 2,
  notInitialized = 3,
  deinitialized = 4,
  stubLibrary = 34,
  deviceUnavailable = 46,
  noDevice = 100,
  invalidDevice = 101,
  invalidImage = 200,
  noBinaryForGpu = 209,
  eccUncorrectable = 214,
  invalidPtx = 218,
  nvlinkUncorrectable = 220,
  unsupportedPtxVersion = 222,
  notFound = 500,
  notReady = 600,
  illegalAddress = 700,
  launchOutOfResources = 701,
  launchTimeout = 702,
  contextIsDestroyed = 709,
  assertion = 710,
  hardwareStackError = 714,
  illegalInstruction = 715,
  misalignedAddress = 716,
  invalidAddressSpace = 717,
  invalidPc = 718,
  launchFailed = 719,
  systemNotReady = 802,
  systemDriverMismatch = 803,
  compatNotSupported = 804,
  unknownError = 999,
};

enum DeviceAttribute : int {
  maxThreadsPerBlock = 1,
  maxGridDimX = 5,
  capabilityMajor = 75,
  capabilityMinor = 76,
  maxSharedMemoryOptin = 97,
  memoryPoolsSupported = 115,
  clusterLaunch = 120,
};

enum FunctionAttribute : int {
  functionMaxThreads = 0,
  functionSharedBytes = 1,
  functionMaxDynamicShared = 8,
  functionNonPortableCluster = 14,
};

enum PointerAttribute : int {
  pointerMemoryType = 2,
  pointerDeviceOrdinal = 9,
};
constexpr unsigned memoryTypeDevice = 2;

enum : unsigned { streamNonBlocking = 1, eventDisableTiming = 2 };
enum CaptureMode : int { captureGlobal, captureThreadLocal, captureRelaxed };
enum CaptureStatus : int { captureNone, captureActive, captureInvalidated };
enum JitOption : int { jitErrorLogBuffer = 5, jitErrorLogBytes = 6 };

/// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};
constexpr int attributeCluster = 4;

struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  CUstream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

/// Every function: X(name as exported, parameters).
#define K3_CUDA_FUNCTIONS(X)                                                   \
  X(cuInit, (unsigned flags))                                                  \
  X(cuDriverGetVersion, (int *version))                                        \
  X(cuGetErrorName, (CUresult error, const char **name))                       \
  X(cuGetErrorString, (CUresult error, const char **text))                     \
  X(cuDeviceGetCount, (int *count))                                            \
  X(cuDeviceGet, (CUdevice * device, int ordinal))                             \
  X(cuDeviceGetName, (char *name, int bytes, CUdevice device))                 \
  X(cuDeviceGetAttribute, (int *value, int attribute, CUdevice device))        \
  X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))          \
  X(cuDevicePrimaryCtxRelease_v2, (CUdevice device))                           \
  X(cuCtxPushCurrent_v2, (CUcontext context))                                  \
  X(cuCtxPopCurrent_v2, (CUcontext * context))                                 \
  X(cuMemGetInfo_v2, (size_t *free, size_t *total))                            \
  X(cuMemAlloc_v2, (CUdeviceptr * memory, size_t bytes))                       \
  X(cuMemFree_v2, (CUdeviceptr memory))                                        \
  X(cuMemAllocAsync, (CUdeviceptr * memory, size_t bytes, CUstream stream))    \
  X(cuMemFreeAsync, (CUdeviceptr memory, CUstream stream))                     \
  X(cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))             \
  X(cuMemFreeHost, (void *memory))                                             \
  X(cuMemcpyHtoDAsync_v2,                                                      \
    (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))         \
  X(cuMemcpyDtoHAsync_v2,                                                      \
    (void *to, CUdeviceptr from, size_t bytes, CUstream stream))               \
  X(cuMemcpyDtoDAsync_v2,                                                      \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))         \
  X(cuMemsetD8Async,                                                           \
    (CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream))      \
  X(cuPointerGetAttribute, (void *value, int attribute, CUdeviceptr memory))   \
  X(cuStreamCreate, (CUstream * stream, unsigned flags))                       \
  X(cuStreamDestroy_v2, (CUstream stream))                                     \
  X(cuStreamSynchronize, (CUstream stream))                                    \
  X(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))       \
  X(cuStreamIsCapturing, (CUstream stream, int *status))                       \
  X(cuStreamBeginCapture_v2, (CUstream stream, int mode))                      \
  X(cuStreamEndCapture, (CUstream stream, CUgraph * graph))                    \
  X(cuThreadExchangeStreamCaptureMode, (int *mode))                            \
  X(cuEventCreate, (CUevent * event, unsigned flags))                          \
  X(cuEventDestroy_v2, (CUevent event))                                        \
  X(cuEventRecord, (CUevent event, CUstream stream))                           \
  X(cuEventQuery, (CUevent event))                                             \
  X(cuEventSynchronize, (CUevent event))                                       \
  X(cuModuleLoadDataEx, (CUmodule * module, const void *image,                 \
                         unsigned numOptions, int *options, void **values))    \
  X(cuModuleUnload, (CUmodule module))                                         \
  X(cuModuleGetFunction,                                                       \
    (CUfunction * function, CUmodule module, const char *name))                \
  X(cuFuncGetAttribute, (int *value, int attribute, CUfunction function))      \
  X(cuFuncSetAttribute, (CUfunction function, int attribute, int value))       \
  X(cuLaunchKernel,                                                            \
    (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,      \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,  \
     CUstream stream, void **parameters, void **extra))                        \
  X(cuLaunchKernelEx, (const LaunchConfig *config, CUfunction function,        \
                       void **parameters, void **extra))                       \
  X(cuGraphInstantiateWithFlags,                                               \
    (CUgraphExec * exec, CUgraph graph, unsigned long long flags))             \
  X(cuGraphLaunch, (CUgraphExec exec, CUstream stream))                        \
  X(cuGraphDestroy, (CUgraph graph))                                           \
  X(cuGraphExecDestroy, (CUgraphExec exec))

struct Api {
#define K3_CUDA_POINTER(name, parameters) CUresult(*name) parameters = nullptr;
  K3_CUDA_FUNCTIONS(K3_CUDA_POINTER)
#undef K3_CUDA_POINTER
};

} // namespace k3::cuda

#endif // K3_RUNTIME_DEVICE_CUDA_API_H
