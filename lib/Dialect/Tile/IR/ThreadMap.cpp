// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elements of a tile a thread holds, for every layout.

#include "k3/Dialect/Tile/IR/ThreadMap.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

using ErrorFn = llvm::function_ref<InFlightDiagnostic()>;
using Shape = SmallVector<int64_t, 3>;

int ThreadMap::find(ArrayRef<int64_t> offset) const {
  for (auto [index, own] : llvm::enumerate(offsets))
    if (ArrayRef<int64_t>(own) == offset)
      return index;
  return -1;
}

int64_t ThreadMap::run(int64_t limit) const {
  unsigned last = rank() - 1;
  auto fits = [&](int64_t width) {
    if (registers() % width != 0)
      return false;
    for (const ThreadTerm &term : base[last])
      if (term.modulus > 1 && term.scale % width != 0)
        return false;
    for (unsigned r = 0; r < registers(); ++r) {
      unsigned head = r - r % width;
      Shape want(offsets[head]);
      want[last] += r % width;
      if (want[last] - int64_t(r % width) != offsets[head][last] ||
          offsets[head][last] % width != 0 || want != Shape(offsets[r]))
        return false;
    }
    return true;
  };
  int64_t width = 1;
  while (width * 2 <= limit && fits(width * 2))
    width *= 2;
  return width;
}

/// Every index of a box, the last dimension fastest.
static void forEachIndex(ArrayRef<int64_t> shape,
                         llvm::function_ref<void(ArrayRef<int64_t>)> body) {
  Shape index(shape.size(), 0);
  for (;;) {
    body(index);
    int d = shape.size() - 1;
    while (d >= 0 && ++index[d] == shape[d])
      index[d--] = 0;
    if (d < 0)
      return;
  }
}

static FailureOr<ThreadMap> blockedMap(ArrayRef<int64_t> shape,
                                       BlockedAttr layout, ErrorFn error) {
  unsigned rank = shape.size();
  if (layout.getSize().size() != rank)
    return error() << "layout of rank " << layout.getSize().size()
                   << " on a tile of rank " << rank;
  ThreadMap map;
  map.base.resize(rank);
  Shape repeats(rank);
  int64_t laneStride = 1, warpStride = 1;
  for (int d = rank - 1; d >= 0; --d) {
    int64_t size = layout.getSize()[d], lanes = layout.getLanes()[d],
            warps = layout.getWarps()[d];
    if (shape[d] % size != 0)
      return error() << "dimension " << d << " of " << shape[d]
                     << " elements does not divide into pieces of " << size;
    int64_t liveLanes = std::min(lanes, shape[d] / size);
    int64_t liveWarps = std::min(warps, shape[d] / (size * liveLanes));
    int64_t block = size * liveLanes * liveWarps;
    if (lanes % liveLanes != 0 || warps % liveWarps != 0 ||
        shape[d] % block != 0)
      return error() << "dimension " << d << " of " << shape[d]
                     << " elements does not divide into blocks of "
                     << size * lanes * warps;
    map.base[d].push_back({false, laneStride, liveLanes, size});
    map.base[d].push_back({true, warpStride, liveWarps, size * liveLanes});
    laneStride *= lanes;
    warpStride *= warps;
    repeats[d] = shape[d] / block;
  }
  forEachIndex(repeats, [&](ArrayRef<int64_t> repeat) {
    forEachIndex(layout.getSize(), [&](ArrayRef<int64_t> element) {
      Shape offset(rank);
      for (unsigned d = 0; d < rank; ++d)
        offset[d] = repeat[d] * (shape[d] / repeats[d]) + element[d];
      map.offsets.push_back(offset);
    });
  });
  return map;
}

static FailureOr<ThreadMap> accMap(ArrayRef<int64_t> shape, ErrorFn error) {
  if (shape.size() != 2 || shape[0] % 16 != 0 || shape[1] % 8 != 0)
    return error() << "layout acc needs rows in multiples of 16 and columns in "
                      "multiples of 8";
  ThreadMap map;
  map.base = {{{false, 4, 8, 1}, {true, 1, shape[0] / 16, 16}},
              {{false, 1, 4, 2}}};
  for (int64_t column = 0; column < shape[1]; column += 8)
    for (int64_t row : {0, 8})
      for (int64_t pair : {0, 1})
        map.offsets.push_back({row, column + pair});
  return map;
}

static FailureOr<ThreadMap> mapOf(ArrayRef<int64_t> shape, Attribute layout,
                                  ErrorFn error);

/// How far a layout reaches along one dimension before it repeats.
static int64_t blockExtent(Attribute layout, int64_t axis) {
  if (auto blocked = dyn_cast<BlockedAttr>(layout))
    return blocked.getSize()[axis] * blocked.getLanes()[axis] *
           blocked.getWarps()[axis];
  if (auto slice = dyn_cast<SliceAttr>(layout))
    return blockExtent(slice.getParent(),
                       axis < slice.getAxis() ? axis : axis + 1);
  return axis == 0 ? 16 : 8; // acc
}

/// The dimensions of the tiles that a layout is for.
static int64_t layoutRank(Attribute layout) {
  if (auto blocked = dyn_cast<BlockedAttr>(layout))
    return blocked.getSize().size();
  if (auto slice = dyn_cast<SliceAttr>(layout))
    return layoutRank(slice.getParent()) - 1;
  return 2; // acc
}

/// The parent's map for the smallest tile that has this slice, less the axis.
static FailureOr<ThreadMap> sliceMap(ArrayRef<int64_t> shape, SliceAttr slice,
                                     ErrorFn error) {
  int64_t axis = slice.getAxis(), rank = shape.size();
  if (layoutRank(slice) != rank || axis > rank)
    return error() << "slice of rank " << layoutRank(slice)
                   << " on a tile of rank " << rank;
  Shape whole(shape);
  whole.insert(whole.begin() + axis, blockExtent(slice.getParent(), axis));
  FailureOr<ThreadMap> parent = mapOf(whole, slice.getParent(), error);
  if (failed(parent))
    return failure();
  ThreadMap map;
  map.base = parent->base;
  map.base.erase(map.base.begin() + axis);
  for (const auto &offset : parent->offsets) {
    if (offset[axis] != 0)
      continue;
    map.offsets.push_back(offset);
    map.offsets.back().erase(map.offsets.back().begin() + axis);
  }
  return map;
}

static FailureOr<ThreadMap> mapOf(ArrayRef<int64_t> shape, Attribute layout,
                                  ErrorFn error) {
  if (auto blocked = dyn_cast_or_null<BlockedAttr>(layout))
    return blockedMap(shape, blocked, error);
  if (isa_and_nonnull<AccAttr>(layout))
    return accMap(shape, error);
  if (auto slice = dyn_cast_or_null<SliceAttr>(layout))
    return sliceMap(shape, slice, error);
  return error() << "tile without a k3t layout";
}

FailureOr<ThreadMap> tile::threadMap(RankedTensorType type, ErrorFn error) {
  if (!type.hasStaticShape() || type.getRank() == 0)
    return error() << "tile of dynamic shape or rank 0";
  FailureOr<ThreadMap> map = mapOf(type.getShape(), type.getEncoding(), error);
  if (succeeded(map) && type.getElementType().isBF16() &&
      map->registers() % 2 != 0)
    return error() << "a thread holds an odd number of BF16 elements";
  return map;
}

ThreadMap tile::threadMap(RankedTensorType type) {
  FailureOr<ThreadMap> map = threadMap(type, [] {
    llvm_unreachable("tile that has not been verified");
    return InFlightDiagnostic();
  });
  return *map;
}

int64_t tile::warpsOf(RankedTensorType type) {
  Attribute layout = type.getEncoding();
  while (auto slice = dyn_cast_or_null<SliceAttr>(layout))
    layout = slice.getParent();
  if (auto blocked = dyn_cast_or_null<BlockedAttr>(layout)) {
    int64_t warps = 1;
    for (int64_t count : blocked.getWarps())
      warps *= count;
    return warps;
  }
  return layout == type.getEncoding() ? type.getShape()[0] / 16 : 0;
}

SmallVector<int64_t> tile::laneMasks(const ThreadMap &map, unsigned axis) {
  SmallVector<int64_t> masks;
  for (const ThreadTerm &term : map.base[axis])
    if (!term.ofWarp)
      for (int64_t step = 1; step < term.modulus; step *= 2)
        masks.push_back(term.divisor * step);
  return masks;
}

bool tile::spreadOverWarps(const ThreadMap &map, unsigned axis) {
  return llvm::any_of(map.base[axis], [](const ThreadTerm &term) {
    return term.ofWarp && term.modulus > 1;
  });
}
