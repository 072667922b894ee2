// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The k3 dialect, its enumerations, traits and interfaces.

#ifndef K3_BASE
#define K3_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def K3_Dialect : Dialect {
  let name = "k3";
  let cppNamespace = "::k3";
  let summary = "Language models built on the delta rule";
  let description = [{
    Tensor-level operations with value semantics. Activations are packed along
    one token axis; `cu_seqlens`, `slots` and `context_lens` (I32) cut it into
    sequences and say where each sequence's memory lives.

    Conventions used by every op card: `T` tokens, `N` sequences, `P` slots of
    the state pool, `C` tokens a slot can hold, `H` heads, `K`/`V` key and value
    width of a head. `cu_seqlens` has N + 1 entries. A sequence with slot -1 is
    a padded row: its outputs are zero and no state is written. A sequence with
    context length 0 is fresh: its slot's old content is not read, and an empty
    fresh sequence zeroes its slot's fixed-size state.

    A state operand is updated in place by contract: the result is the only
    value read afterwards.
  }];
  let useDefaultAttributePrinterParser = 1;
}

class K3_Op<string mnemonic, list<Trait> traits = []>
    : Op<K3_Dialect, mnemonic, traits>;

class K3_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::k3";
  let genSpecializedAttr = 0;
}

class K3_EnumAttr<I32EnumAttr kind, string mnemonic>
    : EnumAttr<K3_Dialect, kind, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

/// Every row (index of the leading dimension) of every result depends on the
/// same row of the operands that have the token dimension, and on operands
/// without it as a whole.
def K3_RowWise : NativeOpTrait<"RowWise"> {
  let cppNamespace = "::k3::OpTrait";
}

def K3_InPlaceOpInterface : OpInterface<"InPlaceOpInterface"> {
  let cppNamespace = "::k3";
  let description = [{
    An op whose state results reuse the memory of state operands.
  }];
  let methods = [InterfaceMethod<
    "(operand number, result number) of each state",
    "::llvm::SmallVector<std::pair<unsigned, unsigned>>", "getUpdates">];
}

def K3_ChunkOpInterface : OpInterface<"ChunkOpInterface"> {
  let cppNamespace = "::k3";
  let description = [{
    A step of the chunkwise recurrence. Its operands of T rows are cut into
    chunks from each sequence's own start.
  }];
  let methods = [
    InterfaceMethod<"", "::mlir::Value", "getCuSeqlens">,
    InterfaceMethod<"", "::mlir::Value", "getSlots">,
    InterfaceMethod<"", "::mlir::Value", "getContextLens">,
    InterfaceMethod<"tokens of a chunk", "uint64_t", "getChunkSize">];
}

def K3_Float : AnyTypeOf<[BF16, F32]>;
class K3_FloatTensor<list<int> ranks>
    : TensorRankOf<[BF16, F32], ranks>;
class K3_F32Tensor<list<int> ranks> : TensorRankOf<[F32], ranks>;
def K3_Index1D : TensorRankOf<[I32], [1]>;

def K3_Activation : K3_Enum<"Activation", "elementwise activation", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Sigmoid", 1, "sigmoid">,
  I32EnumAttrCase<"Silu", 2, "silu">]>;
def K3_ActivationAttr : K3_EnumAttr<K3_Activation, "activation">;

/// Layouts are described in runtime/format/Artefact.fbs. An op that reads a
/// packed weight repeats the packing of its declaration; --k3-pack-weights sets
/// both.
def K3_Packing : K3_Enum<"Packing", "memory layout of a loaded weight", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"PairPanels", 1, "pair_panels">,
  I32EnumAttrCase<"Panels", 2, "panels">,
  I32EnumAttrCase<"NibblePanels", 3, "nibble_panels">,
  I32EnumAttrCase<"ScalePanels", 4, "scale_panels">]>;
def K3_PackingAttr : K3_EnumAttr<K3_Packing, "packing">;

#endif // K3_BASE
