// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Movement between registers, shared memory and device memory.
//
// Rows. A tile of rank 1 is one row. In a tile of higher rank the dimensions
// before the last one count rows together, the first one slowest: a
// 4 x 16 x 128 tile is the same rows as a 64 x 128 buffer.

#ifndef K3T_MEMORY_OPS
#define K3T_MEMORY_OPS

include "k3/Dialect/Tile/IR/TileBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def K3T_LoadScalarOp : K3T_Op<"load_scalar"> {
  let summary = "one element of device memory, the same for all threads";
  let description = "BF16 memory gives an F32 value.";
  let arguments = (ins K3T_GlobalType:$base, I64:$offset);
  let results = (outs AnyTypeOf<[F32, I32]>:$result);
  let assemblyFormat = "$base `[` $offset `]` attr-dict `:` type($base) `->` type($result)";
  let hasVerifier = 1;
}

def K3T_LoadOp : K3T_Op<"load", [AttrSizedOperandSegments]> {
  let summary = "a tile from device memory";
  let description = [{
    Element (r, c) is `base[offset + r * row_stride + c]`, counted in elements;
    rows from `rows` on and columns from `cols` on are zero and not read; `cols`
    is a multiple of what one access takes. A tile of rank 1 with a stride is
    a column: element r is `base[offset + r * row_stride]`. `alignment` is what the caller
    promises for the address of every row, in bytes; accesses are no wider. A
    column of BF16 may be loaded as F32.
  }];
  let arguments = (ins K3T_GlobalType:$base, I64:$offset,
                       Optional<I64>:$row_stride, Optional<I32>:$rows,
                       Optional<I32>:$cols, I64Attr:$alignment);
  let results = (outs K3T_FloatTile:$result);
  let assemblyFormat = [{
    $base `[` $offset `]` (`stride` $row_stride^)? (`rows` $rows^)?
    (`cols` $cols^)? attr-dict
    `:` type($base) `->` type($result)
  }];
  let hasVerifier = 1;
}

def K3T_StoreOp : K3T_Op<"store", [AttrSizedOperandSegments]> {
  let summary = "a tile to device memory";
  let description = [{
    As `k3t.load`; rows from `rows` on and columns from `cols` on are not
    written. `segment` is as in `k3t.store_shared`.
  }];
  let arguments = (ins K3T_FloatTile:$value, K3T_GlobalType:$base, I64:$offset,
                       Optional<I64>:$row_stride, Optional<I32>:$rows,
                       Optional<I32>:$cols, I64Attr:$alignment,
                       DefaultValuedAttr<I64Attr, "0">:$segment);
  let assemblyFormat = [{
    $value `,` $base `[` $offset `]` (`stride` $row_stride^)? (`rows` $rows^)?
    (`cols` $cols^)? attr-dict `:` type($value) `,` type($base)
  }];
  let hasVerifier = 1;
}

def K3T_AllocSharedOp : K3T_Op<"alloc_shared"> {
  let summary = "a buffer in shared memory, for the whole kernel";
  let description = [{
    With `over`, in the memory of another buffer: the two hold something at
    different times, which is up to the author.
  }];
  let arguments = (ins Optional<K3T_SharedType>:$over);
  let results = (outs K3T_SharedType:$result);
  let assemblyFormat = "(`over` $over^ `:` type($over))? attr-dict `:` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Type":$type), [{
    build($_builder, $_state, type, /*over=*/::mlir::Value());
  }]>];
}

def K3T_StageOp : K3T_Op<"stage", [Pure]> {
  let summary = "one of the copies of a buffer with stages";
  let arguments = (ins K3T_SharedType:$buffer, I32:$index);
  let results = (outs K3T_SharedType:$result);
  let assemblyFormat = "$buffer `[` $index `]` attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$buffer,
                                 "::mlir::Value":$index), [{
    build($_builder, $_state,
          ::llvm::cast<SharedType>(buffer.getType()).getStage(), buffer, index);
  }]>];
}

def K3T_LoadSharedOp : K3T_Op<"load_shared"> {
  let summary = "a tile from shared memory";
  let description = [{
    `transpose`: element (r, c) of the tile is element (c, r) of the buffer; for
    BF16 tiles with the layout acc, from swizzled buffers (`ldmatrix.trans`).
    `first_row`: where the tile begins in the buffer; the first element, if the
    buffer has rank 1. `segment`: for a tile of
    rank 3, rows from one index of its first dimension to the next; 0 when they
    follow each other. A tile with more rows than
    the buffer, or a longer tile of rank 1, repeats it (`repeat`).
  }];
  let arguments = (ins K3T_SharedType:$buffer, UnitAttr:$transpose,
                       UnitAttr:$repeat,
                       DefaultValuedAttr<I64Attr, "0">:$first_row,
                       DefaultValuedAttr<I64Attr, "0">:$segment);
  let results = (outs K3T_FloatTile:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def K3T_StoreSharedOp : K3T_Op<"store_shared"> {
  let summary = "a tile to shared memory";
  let description = [{
    As `k3t.load_shared`. With `warpgroup`, only that warpgroup stores, and its
    64 rows of the tile are what the buffer gets; `first_column` is where the
    tile begins in each row. With `limit`, rows of the buffer from there on are
    left out, whole threads at a time. Nothing else is ordered by it:
    other threads see the tile after `k3t.barrier`, tensor cores after
    `k3t.fence_shared` as well.
  }];
  let arguments = (ins K3T_FloatTile:$value, K3T_SharedType:$buffer,
                       UnitAttr:$transpose,
                       OptionalAttr<I64Attr>:$warpgroup,
                       DefaultValuedAttr<I64Attr, "0">:$first_row,
                       DefaultValuedAttr<I64Attr, "0">:$first_column,
                       OptionalAttr<I64Attr>:$limit,
                       DefaultValuedAttr<I64Attr, "0">:$segment);
  let builders = [OpBuilder<(ins "::mlir::Value":$value,
                                 "::mlir::Value":$buffer), [{
    $_state.addOperands({value, buffer});
  }]>];
  let assemblyFormat = "$value `,` $buffer attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

def K3T_CopyAsyncOp : K3T_Op<"copy_async", [AttrSizedOperandSegments]> {
  let summary = "device memory to shared memory, without registers";
  let description = [{
    Fills a whole buffer of 16-byte pieces (`cp.async`); rows from `rows` on
    become zero. Done after `k3t.copy_wait`, or, across roles, when the next
    role has been let in.
  }];
  let arguments = (ins K3T_GlobalType:$base, I64:$offset,
                       Optional<I64>:$row_stride, Optional<I32>:$rows,
                       K3T_SharedType:$buffer);
  let assemblyFormat = [{
    $base `[` $offset `]` (`stride` $row_stride^)? (`rows` $rows^)? `to` $buffer
    attr-dict `:` type($base) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def K3T_CopyWaitOp : K3T_Op<"copy_wait"> {
  let summary = "waits for this thread's copies";
  let assemblyFormat = "attr-dict";
}

#endif // K3T_MEMORY_OPS
