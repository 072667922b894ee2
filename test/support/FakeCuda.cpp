// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libcuda whose device is the host's memory and whose kernels are x86-64
// code. Work on streams is put off until something waits, as on a real device,
// so that what is freed or changed too early is noticed.

#include "runtime/device/cuda/Api.h"
#include "test/support/FakeCudaScript.h"
#include "test/support/FakeImage.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <functional>
#include <memory>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

using namespace k3::fake;

namespace k3::cuda {

using Work = std::function<CUresult()>;

struct ContextHandle {
  int ordinal = 0;
  int users = 0;
};
struct StreamHandle {
  bool capturing = false;
  std::vector<Work> captured;
};
struct EventHandle {
  bool pending = false, inCapture = false;
};
struct GraphHandle {
  std::vector<Work> work;
};
struct GraphExecHandle {
  std::vector<Work> work;
};

using KernelFn = void (*)(int64_t, void *const *, const int64_t *, void *);

struct FunctionHandle {
  ImageKernel kernel;
  KernelFn code = nullptr;
  int dynamicShared = 48 << 10;
  bool nonPortable = false;
};
struct ModuleHandle {
  void *library = nullptr;
  int file = -1;
  std::vector<std::unique_ptr<FunctionHandle>> functions;
};

} // namespace k3::cuda

using namespace k3::cuda;

namespace {

constexpr CUresult invalidContext = 201, captureUnsupported = 900;
constexpr CUdevice firstDevice = 100; // not an ordinal, so as to tell them

struct Block {
  uint64_t bytes = 0;
  int ordinal = 0;
  bool pinned = false;
};

struct Fake {
  std::mutex mutex;
  Script script;
  std::map<std::string, int64_t> calls;
  std::map<std::string, int64_t> live;
  std::deque<Work> work; // of all streams, in the order of the calls
  std::map<CUdeviceptr, Block> blocks;
  std::map<int, ContextHandle> contexts;
  StreamHandle defaultStream;
  int capturing = 0;
  CUresult fault = success;
  std::string violation;
  int64_t used = 0;
};

Fake &fake() {
  static Fake &state = *[] {
    auto *made = new Fake;
    const char *text = std::getenv("K3_FAKE_CUDA");
    made->script = Script::parse(text ? text : "");
    return made;
  }();
  return state;
}

thread_local std::vector<CUcontext> current;
thread_local int captureMode = captureGlobal;

bool endsContext(CUresult result) {
  return (result >= 700 && result < 720 && result != launchOutOfResources) ||
         result == eccUncorrectable || result == nvlinkUncorrectable;
}

void violate(const std::string &text) {
  if (fake().violation.empty())
    fake().violation = text;
}

/// What every function does first. The lock is held by the caller.
CUresult begin(const char *name, bool needsContext) {
  Fake &f = fake();
  int64_t call = ++f.calls[name];
  ++f.calls[""];
  if (auto found = f.script.failures.find(name);
      found != f.script.failures.end() &&
      (found->second.call == 0 || found->second.call == call)) {
    if (endsContext(found->second.result))
      f.fault = found->second.result;
    return found->second.result;
  }
  if (needsContext && current.empty()) {
    violate(std::string(name) + " without a context");
    return invalidContext;
  }
  return needsContext ? f.fault : success;
}

#define K3_FAKE_BEGIN(name, needsContext)                                      \
  std::lock_guard<std::mutex> lock(fake().mutex);                              \
  if (CUresult failed = begin(#name, needsContext))                            \
  return failed

/// Everything put off happens now.
CUresult drain() {
  Fake &f = fake();
  while (!f.work.empty() && f.fault == success) {
    Work work = std::move(f.work.front());
    f.work.pop_front();
    if (CUresult result = work())
      f.fault = result;
  }
  if (f.fault != success)
    f.work.clear();
  return f.fault;
}

StreamHandle &streamOf(CUstream stream) {
  return stream ? *stream : fake().defaultStream;
}

CUresult put(CUstream stream, Work work) {
  StreamHandle &target = streamOf(stream);
  if (target.capturing)
    target.captured.push_back(std::move(work));
  else
    fake().work.push_back(std::move(work));
  return success;
}

/// A call that a capture forbids unless the thread has relaxed it.
CUresult checkUnsafe(const char *name) {
  if (fake().capturing == 0 || captureMode == captureRelaxed)
    return success;
  violate(std::string(name) + " while a stream is being captured");
  return captureUnsupported;
}

/// The block that holds all of this memory, or null.
const Block *blockAt(CUdeviceptr at, uint64_t bytes) {
  Fake &f = fake();
  auto after = f.blocks.upper_bound(at);
  if (after == f.blocks.begin())
    return nullptr;
  auto &[begin, block] = *std::prev(after);
  bool inside =
      at - begin <= block.bytes && bytes <= block.bytes - (at - begin);
  return inside ? &block : nullptr;
}

bool isDevice(CUdeviceptr at, uint64_t bytes, const char *name) {
  const Block *block = blockAt(at, bytes);
  if (block && !block->pinned)
    return true;
  violate(std::string(name) + ": not device memory");
  return false;
}

CUresult take(CUdeviceptr *out, size_t bytes, bool pinned) {
  Fake &f = fake();
  if (bytes == 0)
    return invalidValue;
  if (!pinned && f.used + int64_t(bytes) > f.script.memory)
    return outOfMemory;
  size_t rounded = (bytes + 255) / 256 * 256;
  void *memory = std::aligned_alloc(256, rounded);
  if (!memory)
    return outOfMemory;
  // NaN in every float type, so that what is read unwritten shows.
  std::memset(memory, 0xff, rounded);
  *out = reinterpret_cast<CUdeviceptr>(memory);
  f.blocks[*out] = {bytes, current.empty() ? 0 : current.back()->ordinal,
                    pinned};
  f.used += pinned ? 0 : int64_t(bytes);
  ++f.live[pinned ? "pinned" : "memory"];
  return success;
}

CUresult give(CUdeviceptr memory, bool pinned) {
  Fake &f = fake();
  auto found = f.blocks.find(memory);
  if (found == f.blocks.end() || found->second.pinned != pinned) {
    violate("memory is given back that was not taken");
    return invalidValue;
  }
  f.used -= pinned ? 0 : int64_t(found->second.bytes);
  f.blocks.erase(found);
  --f.live[pinned ? "pinned" : "memory"];
  std::memset(reinterpret_cast<void *>(memory), 0xff, 1);
  std::free(reinterpret_cast<void *>(memory));
  return success;
}

void copyBytes(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  std::memmove(reinterpret_cast<void *>(to),
               reinterpret_cast<const void *>(from), bytes);
}

} // namespace

extern "C" {

void k3_fake_cuda_script(const char *text) {
  Fake &f = fake();
  std::lock_guard<std::mutex> lock(f.mutex);
  f.script = Script::parse(text);
  f.calls.clear();
  f.fault = success;
  f.violation.clear();
  f.work.clear();
  // A lost device gives nothing back; the driver does when the process ends.
  for (auto &[memory, block] : f.blocks)
    std::free(reinterpret_cast<void *>(memory));
  f.blocks.clear();
  f.live.clear();
  f.contexts.clear();
  f.used = 0;
  f.capturing = 0;
}

int64_t k3_fake_cuda_calls(const char *function) {
  std::lock_guard<std::mutex> lock(fake().mutex);
  return fake().calls[function];
}

int64_t k3_fake_cuda_live(const char *kind) {
  std::lock_guard<std::mutex> lock(fake().mutex);
  int64_t sum = 0;
  for (auto &[name, count] : fake().live)
    if (!*kind || name == kind)
      sum += count;
  return sum;
}

const char *k3_fake_cuda_violation(void) { return fake().violation.c_str(); }

CUresult cuInit(unsigned) {
  K3_FAKE_BEGIN(cuInit, false);
  return fake().script.devices > 0 ? success : noDevice;
}

CUresult cuDriverGetVersion(int *version) {
  K3_FAKE_BEGIN(cuDriverGetVersion, false);
  *version = fake().script.version;
  return success;
}

CUresult cuGetErrorName(CUresult error, const char **name) {
  static const std::map<CUresult, const char *> names = {
      {1, "CUDA_ERROR_INVALID_VALUE"},
      {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
      {200, "CUDA_ERROR_INVALID_IMAGE"},
      {214, "CUDA_ERROR_ECC_UNCORRECTABLE"},
      {218, "CUDA_ERROR_INVALID_PTX"},
      {220, "CUDA_ERROR_NVLINK_UNCORRECTABLE"},
      {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
      {500, "CUDA_ERROR_NOT_FOUND"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
      {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
      {710, "CUDA_ERROR_ASSERT"},
      {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
      {719, "CUDA_ERROR_LAUNCH_FAILED"},
      {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
      {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
      {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
  };
  auto found = names.find(error);
  if (found == names.end())
    return invalidValue;
  *name = found->second;
  return success;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = "as the fake was told";
  return success;
}

CUresult cuDeviceGetCount(int *count) {
  K3_FAKE_BEGIN(cuDeviceGetCount, false);
  *count = fake().script.devices;
  return success;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  K3_FAKE_BEGIN(cuDeviceGet, false);
  if (ordinal < 0 || ordinal >= fake().script.devices)
    return invalidDevice;
  *device = firstDevice + ordinal;
  return success;
}

CUresult cuDeviceGetName(char *name, int bytes, CUdevice) {
  K3_FAKE_BEGIN(cuDeviceGetName, false);
  std::snprintf(name, size_t(bytes), "Fake GPU");
  return success;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice) {
  K3_FAKE_BEGIN(cuDeviceGetAttribute, false);
  const Script &script = fake().script;
  switch (attribute) {
  case maxThreadsPerBlock:
    *value = 1024;
    return success;
  case capabilityMajor:
    *value = script.capability / 10;
    return success;
  case capabilityMinor:
    *value = script.capability % 10;
    return success;
  case maxSharedMemoryOptin:
    *value = script.shared;
    return success;
  case memoryPoolsSupported:
    *value = script.pools;
    return success;
  case clusterLaunch:
    *value = script.clusters;
    return success;
  default:
    return invalidValue;
  }
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  K3_FAKE_BEGIN(cuDevicePrimaryCtxRetain, false);
  ContextHandle &found = fake().contexts[device];
  found.ordinal = device - firstDevice;
  ++found.users;
  ++fake().live["context"];
  *context = &found;
  return fake().fault;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  K3_FAKE_BEGIN(cuDevicePrimaryCtxRelease_v2, false);
  ContextHandle &found = fake().contexts[device];
  if (--found.users < 0)
    violate("a context is released too often");
  --fake().live["context"];
  return success;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  K3_FAKE_BEGIN(cuCtxPushCurrent_v2, false);
  current.push_back(context);
  return success;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  K3_FAKE_BEGIN(cuCtxPopCurrent_v2, false);
  if (current.empty()) {
    violate("a context is popped that was not pushed");
    return invalidContext;
  }
  *context = current.back();
  current.pop_back();
  return success;
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  K3_FAKE_BEGIN(cuMemGetInfo_v2, true);
  *total = size_t(fake().script.memory);
  *free = size_t(fake().script.memory - fake().used);
  return success;
}

CUresult cuMemAlloc_v2(CUdeviceptr *memory, size_t bytes) {
  K3_FAKE_BEGIN(cuMemAlloc_v2, true);
  if (CUresult result = checkUnsafe("cuMemAlloc"))
    return result;
  return take(memory, bytes, false);
}

CUresult cuMemFree_v2(CUdeviceptr memory) {
  K3_FAKE_BEGIN(cuMemFree_v2, true);
  if (CUresult result = checkUnsafe("cuMemFree"))
    return result;
  if (CUresult result = drain())
    return result;
  return give(memory, false);
}

CUresult cuMemAllocAsync(CUdeviceptr *memory, size_t bytes, CUstream stream) {
  K3_FAKE_BEGIN(cuMemAllocAsync, true);
  if (streamOf(stream).capturing)
    violate("cuMemAllocAsync on a captured stream");
  CUresult result = take(memory, bytes, false);
  // What the stream gives back before may be used again.
  if (result == outOfMemory && drain() == success)
    result = take(memory, bytes, false);
  return result;
}

CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream stream) {
  K3_FAKE_BEGIN(cuMemFreeAsync, true);
  if (!isDevice(memory, 0, "cuMemFreeAsync"))
    return invalidValue;
  return put(stream, [=] { return give(memory, false); });
}

CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  K3_FAKE_BEGIN(cuMemHostAlloc, true);
  if (CUresult result = checkUnsafe("cuMemHostAlloc"))
    return result;
  CUdeviceptr taken;
  CUresult result = take(&taken, bytes, true);
  if (result == success)
    *memory = reinterpret_cast<void *>(taken);
  return result;
}

CUresult cuMemFreeHost(void *memory) {
  K3_FAKE_BEGIN(cuMemFreeHost, true);
  if (CUresult result = drain())
    return result;
  return give(reinterpret_cast<CUdeviceptr>(memory), true);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                              CUstream stream) {
  K3_FAKE_BEGIN(cuMemcpyHtoDAsync_v2, true);
  if (!isDevice(to, bytes, "cuMemcpyHtoDAsync"))
    return invalidValue;
  CUdeviceptr source = reinterpret_cast<CUdeviceptr>(from);
  const Block *block = blockAt(source, bytes);
  if (block && block->pinned)
    return put(stream, [=] {
      copyBytes(to, source, bytes);
      return success;
    });
  // Memory that is not pinned has been read when the call returns.
  const char *text = static_cast<const char *>(from);
  auto copy = std::make_shared<std::vector<char>>(text, text + bytes);
  return put(stream, [=] {
    std::memcpy(reinterpret_cast<void *>(to), copy->data(), bytes);
    return success;
  });
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  K3_FAKE_BEGIN(cuMemcpyDtoHAsync_v2, true);
  if (!isDevice(from, bytes, "cuMemcpyDtoHAsync"))
    return invalidValue;
  return put(stream, [=] {
    std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
    return success;
  });
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  K3_FAKE_BEGIN(cuMemcpyDtoDAsync_v2, true);
  if (!isDevice(from, bytes, "cuMemcpyDtoDAsync") ||
      !isDevice(to, bytes, "cuMemcpyDtoDAsync"))
    return invalidValue;
  return put(stream, [=] {
    copyBytes(to, from, bytes);
    return success;
  });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes,
                         CUstream stream) {
  K3_FAKE_BEGIN(cuMemsetD8Async, true);
  if (!isDevice(to, bytes, "cuMemsetD8Async"))
    return invalidValue;
  return put(stream, [=] {
    std::memset(reinterpret_cast<void *>(to), value, bytes);
    return success;
  });
}

CUresult cuPointerGetAttribute(void *value, int attribute, CUdeviceptr memory) {
  K3_FAKE_BEGIN(cuPointerGetAttribute, true);
  const Block *block = blockAt(memory, 0);
  if (!block)
    return invalidValue;
  if (attribute == pointerMemoryType)
    *static_cast<unsigned *>(value) = block->pinned ? 1 : memoryTypeDevice;
  else if (attribute == pointerDeviceOrdinal)
    *static_cast<int *>(value) = block->ordinal;
  else
    return invalidValue;
  return success;
}

CUresult cuStreamCreate(CUstream *stream, unsigned) {
  K3_FAKE_BEGIN(cuStreamCreate, true);
  *stream = new StreamHandle;
  ++fake().live["stream"];
  return success;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  K3_FAKE_BEGIN(cuStreamDestroy_v2, true);
  --fake().live["stream"];
  delete stream;
  return success;
}

CUresult cuStreamSynchronize(CUstream stream) {
  K3_FAKE_BEGIN(cuStreamSynchronize, true);
  if (streamOf(stream).capturing) {
    violate("cuStreamSynchronize on a captured stream");
    return captureUnsupported;
  }
  return drain();
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  K3_FAKE_BEGIN(cuStreamWaitEvent, true);
  if (streamOf(stream).capturing != event->inCapture) {
    violate("an event orders a captured stream and another");
    return captureUnsupported;
  }
  return success; // all streams run in the order of the calls
}

CUresult cuStreamIsCapturing(CUstream stream, int *status) {
  K3_FAKE_BEGIN(cuStreamIsCapturing, true);
  *status = streamOf(stream).capturing ? captureActive : captureNone;
  return success;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, int) {
  K3_FAKE_BEGIN(cuStreamBeginCapture_v2, true);
  streamOf(stream).capturing = true;
  ++fake().capturing;
  return success;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  K3_FAKE_BEGIN(cuStreamEndCapture, true);
  StreamHandle &target = streamOf(stream);
  target.capturing = false;
  --fake().capturing;
  *graph = new GraphHandle{std::move(target.captured)};
  target.captured.clear();
  ++fake().live["graph"];
  return success;
}

CUresult cuThreadExchangeStreamCaptureMode(int *mode) {
  K3_FAKE_BEGIN(cuThreadExchangeStreamCaptureMode, false);
  std::swap(*mode, captureMode);
  return success;
}

CUresult cuEventCreate(CUevent *event, unsigned) {
  K3_FAKE_BEGIN(cuEventCreate, true);
  *event = new EventHandle;
  ++fake().live["event"];
  return success;
}

CUresult cuEventDestroy_v2(CUevent event) {
  K3_FAKE_BEGIN(cuEventDestroy_v2, true);
  if (CUresult result = drain())
    return result;
  --fake().live["event"];
  delete event;
  return success;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  K3_FAKE_BEGIN(cuEventRecord, true);
  event->inCapture = streamOf(stream).capturing;
  event->pending = true;
  return put(stream, [=] {
    event->pending = false;
    return success;
  });
}

CUresult cuEventQuery(CUevent event) {
  K3_FAKE_BEGIN(cuEventQuery, true);
  if (CUresult result = checkUnsafe("cuEventQuery"))
    return result;
  return event->pending ? notReady : success;
}

CUresult cuEventSynchronize(CUevent event) {
  K3_FAKE_BEGIN(cuEventSynchronize, true);
  if (event->inCapture)
    return captureUnsupported;
  return drain();
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                            unsigned numOptions, int *options, void **values) {
  K3_FAKE_BEGIN(cuModuleLoadDataEx, true);
  std::vector<ImageKernel> kernels;
  std::string object;
  bool isPtx = false;
  if (!readFakeImage(image, kernels, object, isPtx)) {
    for (unsigned i = 0; i < numOptions; ++i)
      if (options[i] == jitErrorLogBuffer)
        std::strcpy(static_cast<char *>(values[i]),
                    "ptxas fatal: not for this fake\nmore");
    return numOptions ? invalidPtx : invalidImage;
  }
  auto made = std::make_unique<ModuleHandle>();
  made->file = memfd_create("k3-fake-module", MFD_CLOEXEC);
  if (write(made->file, object.data(), object.size()) != ssize_t(object.size()))
    return outOfMemory;
  std::string path = "/proc/self/fd/" + std::to_string(made->file);
  made->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!made->library)
    return invalidImage;
  for (const ImageKernel &kernel : kernels) {
    auto function = std::make_unique<FunctionHandle>();
    function->kernel = kernel;
    function->code =
        reinterpret_cast<KernelFn>(dlsym(made->library, kernel.symbol.c_str()));
    if (function->code)
      made->functions.push_back(std::move(function));
  }
  *module = made.release();
  ++fake().live["module"];
  return success;
}

CUresult cuModuleUnload(CUmodule module) {
  K3_FAKE_BEGIN(cuModuleUnload, true);
  if (CUresult result = drain())
    return result;
  dlclose(module->library);
  close(module->file);
  delete module;
  --fake().live["module"];
  return success;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  K3_FAKE_BEGIN(cuModuleGetFunction, true);
  for (auto &candidate : module->functions)
    if (candidate->kernel.entry == name) {
      *function = candidate.get();
      return success;
    }
  return notFound;
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction) {
  K3_FAKE_BEGIN(cuFuncGetAttribute, true);
  if (attribute == functionMaxThreads)
    *value = 1024;
  else if (attribute == functionSharedBytes)
    *value = 0;
  else
    return invalidValue;
  return success;
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  K3_FAKE_BEGIN(cuFuncSetAttribute, true);
  if (attribute == functionMaxDynamicShared && value <= fake().script.shared)
    function->dynamicShared = value;
  else if (attribute == functionNonPortableCluster)
    function->nonPortable = value != 0;
  else
    return invalidValue;
  return success;
}

/// The parameters as docs/ArtefactFormat.md has them, read now; the work later.
static CUresult launch(CUfunction function, unsigned blocks, unsigned threads,
                       unsigned shared, unsigned cluster, CUstream stream,
                       void **parameters) {
  const ImageKernel &kernel = function->kernel;
  if (blocks == 0 || threads == 0 || int(shared) > function->dynamicShared ||
      cluster == 0 || blocks % cluster != 0 ||
      (cluster > 8 && !function->nonPortable))
    return invalidValue;
  if (kernel.threads && kernel.threads != threads)
    violate("kernel " + kernel.entry + " has another number of threads");
  std::vector<void *> buffers;
  std::vector<int64_t> dims;
  size_t next = 0;
  for (uint32_t i = 0; i < kernel.buffers; ++i)
    buffers.push_back(*static_cast<void **>(parameters[next++]));
  for (uint32_t i = 0; i < kernel.dims; ++i)
    dims.push_back(*static_cast<int64_t *>(parameters[next++]));
  int64_t workgroups = *static_cast<int64_t *>(parameters[next++]);
  char *scratch =
      kernel.scratch ? *static_cast<char **>(parameters[next++]) : nullptr;
  if (kernel.scratch &&
      !isDevice(reinterpret_cast<CUdeviceptr>(scratch),
                uint64_t(workgroups) * kernel.scratch, "scratch"))
    return invalidValue;
  if (int64_t(blocks) * kernel.workgroupsPerBlock < workgroups)
    violate("kernel " + kernel.entry + " has too few blocks");
  KernelFn code = function->code;
  uint64_t scratchBytes = kernel.scratch;
  int64_t perBlock = kernel.workgroupsPerBlock;
  CUresult fault = success;
  if (auto found = fake().script.kernels.find(kernel.entry);
      found != fake().script.kernels.end())
    fault = found->second;
  if (fault == launchOutOfResources)
    return fault;
  return put(stream, [=]() -> CUresult {
    if (fault != success)
      return fault;
    for (int64_t block = 0; block < int64_t(blocks); ++block)
      for (int64_t w = block * perBlock;
           w < std::min((block + 1) * perBlock, workgroups); ++w)
        code(w, buffers.data(), dims.data(),
             scratch + uint64_t(w) * scratchBytes);
    return success;
  });
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned sharedBytes, CUstream stream,
                        void **parameters, void **) {
  K3_FAKE_BEGIN(cuLaunchKernel, true);
  if (gridY * gridZ * blockY * blockZ != 1)
    return invalidValue;
  return launch(function, gridX, blockX, sharedBytes, 1, stream, parameters);
}

CUresult cuLaunchKernelEx(const LaunchConfig *config, CUfunction function,
                          void **parameters, void **) {
  K3_FAKE_BEGIN(cuLaunchKernelEx, true);
  unsigned cluster = 1;
  for (unsigned i = 0; i < config->numAttributes; ++i)
    if (config->attributes[i].id == attributeCluster)
      cluster = config->attributes[i].value.cluster.x;
  return launch(function, config->gridX, config->blockX, config->sharedBytes,
                cluster, config->stream, parameters);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                     unsigned long long) {
  K3_FAKE_BEGIN(cuGraphInstantiateWithFlags, true);
  *exec = new GraphExecHandle{graph->work};
  ++fake().live["exec"];
  return success;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  K3_FAKE_BEGIN(cuGraphLaunch, true);
  for (const Work &work : exec->work)
    put(stream, work);
  return success;
}

CUresult cuGraphDestroy(CUgraph graph) {
  K3_FAKE_BEGIN(cuGraphDestroy, true);
  delete graph;
  --fake().live["graph"];
  return success;
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  K3_FAKE_BEGIN(cuGraphExecDestroy, true);
  delete exec;
  --fake().live["exec"];
  return success;
}

} // extern "C"
