// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The k3t dialect, its layouts and its types.

#ifndef K3T_BASE
#define K3T_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def K3T_Dialect : Dialect {
  let name = "k3t";
  let cppNamespace = "::k3::tile";
  let summary = "Tiles inside one GPU kernel, their layout in the type";
  let description = [{
    A tile is a ranked tensor whose encoding says which thread of which warp
    holds which element (`tensor<64x128xf32, #k3t.acc>`). `arith`, `math` and
    `scf` work on tiles unchanged, because all tiles of one layout and shape
    hold the same elements in the same registers. Nothing is inferred: whoever
    writes the program chooses the layouts, and the verifiers refuse any mix.

    Arithmetic is in F32. BF16 tiles are storage: they are loaded, stored,
    extended, truncated and multiplied by the tensor cores, and kept as packed
    pairs.

    Warps are numbered inside the `k3t.role` or `k3t.on_warps` that an op is
    in, or inside the workgroup where there is none.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class K3T_Layout<string name, string mnem> : AttrDef<K3T_Dialect, name> {
  let mnemonic = mnem;
}

def K3T_BlockedAttr : K3T_Layout<"Blocked", "blocked"> {
  let summary = "contiguous blocks of elements, threads, warps";
  let description = [{
    Along each dimension a thread holds `size` neighbouring elements, `lanes`
    threads of a warp follow each other, then `warps` warps; the block that they
    make together repeats until the tile is full. The last dimension varies
    fastest over lanes and over warps. Where a tile is smaller than the block,
    the threads in excess hold copies.

    `#k3t.blocked<[1, 4], [4, 8], [8, 1]>`: rows of 32 elements in 16-byte
    pieces, four rows a warp, 32 rows a repetition.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$size,
                        ArrayRefParameter<"int64_t">:$lanes,
                        ArrayRefParameter<"int64_t">:$warps);
  let assemblyFormat =
    "`<` `[` $size `]` `,` `[` $lanes `]` `,` `[` $warps `]` `>`";
  let genVerifyDecl = 1;
}

def K3T_AccAttr : K3T_Layout<"Acc", "acc"> {
  let summary = "fragments of a tensor core product";
  let description = [{
    The fragment of the accumulator of `wgmma` and of `mma.sync` m16n8: 16 rows
    a warp; lane l holds columns 2 (l mod 4) and the next one of rows l / 4 and
    l / 4 + 8, for every 8 columns. The same map, for BF16 elements, is the
    fragment of the operand A, so a truncated accumulator is an operand.
    A tile has 16 rows for each warp.
  }];
}

def K3T_SliceAttr : K3T_Layout<"Slice", "slice"> {
  let summary = "a layout with one dimension taken away";
  let description = [{
    A vector along the remaining dimensions of `parent`; threads that differ
    along `axis` alone hold copies.
  }];
  let parameters = (ins "int64_t":$axis, "::mlir::Attribute":$parent);
  let assemblyFormat = "`<` $axis `,` $parent `>`";
  let genVerifyDecl = 1;
}

class K3T_Type<string name, string mnem> : TypeDef<K3T_Dialect, name> {
  let mnemonic = mnem;
}

def K3T_GlobalType : K3T_Type<"Global", "global"> {
  let summary = "device memory that holds elements of one type";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

def K3T_SharedType : K3T_Type<"Shared", "shared"> {
  let summary = "a buffer in shared memory";
  let description = [{
    `shape` elements, of rank 1 or 2. With `swizzle`, columns are cut into
    panels of 128 bytes; a panel is rows of 128 bytes, and the 16-byte piece p
    of row r lies at p xor (r mod 8): the form in which the tensor cores read
    operands. Without it, rows follow each other with `pad` elements in between.
    With `stages` there are that many copies, and `k3t.stage` picks one.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType,
                        DefaultValuedParameter<"bool", "false">:$swizzle,
                        DefaultValuedParameter<"int64_t", "0">:$pad,
                        DefaultValuedParameter<"int64_t", "1">:$stages);
  let assemblyFormat = "`<` `[` $shape `]` `,` $elementType (`,` struct($swizzle, $pad, $stages)^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    int64_t getRows() const { return getRank() == 2 ? getShape()[0] : 1; }
    int64_t getCols() const { return getShape().back(); }
    int64_t getElementBytes() const;
    /// Elements of one 128-byte panel row.
    int64_t getPanelCols() const { return 128 / getElementBytes(); }
    /// Bytes from one panel to the next; rows * 128.
    int64_t getPanelBytes() const { return getRows() * 128; }
    /// Bytes of one stage.
    int64_t getStageBytes() const;
    int64_t getAlignment() const { return getSwizzle() ? 1024 : 16; }
    /// The type of one of its stages.
    SharedType getStage() const;
  }];
}

def K3T_BarrierType : K3T_Type<"Barrier", "barrier"> {
  let summary = "mbarriers in shared memory, one for each stage";
  let parameters = (ins "int64_t":$stages);
  let assemblyFormat = "`<` $stages `>`";
}

class K3T_Op<string mnemonic, list<Trait> traits = []>
    : Op<K3T_Dialect, mnemonic, traits>;

def K3T_Tile : RankedTensorOf<[F32, BF16, I32, I1]>;
def K3T_FloatTile : RankedTensorOf<[F32, BF16]>;
def K3T_F32Tile : RankedTensorOf<[F32]>;

#endif // K3T_BASE
