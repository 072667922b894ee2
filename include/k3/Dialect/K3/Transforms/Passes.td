// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes from k3 to k3, alphabetically.

#ifndef K3_TRANSFORMS_PASSES
#define K3_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def AbsorbLatentAttentionPass : Pass<"k3-absorb-latent-attention"> {
  let summary = "attend in the latent space";
  let description = [{
    In: `k3.latent_attention`. Holds after: none; each is `k3.absorb_query`,
    `k3.latent_attend`, `k3.absorb_value` with fp32 between them.
    Numeric: reassociates.
  }];
  let dependentDialects = ["::k3::K3Dialect"];
}

def ChunkDeltaRulePass : Pass<"k3-chunk-delta-rule", "::mlir::ModuleOp"> {
  let summary = "the recurrence in chunks of tokens";
  let description = [{
    In: `k3.delta_rule` before kernels are formed. Holds after: each is the
    `k3.chunk_*` ops that its attributes ask for (docs/Rationale/chunking.md),
    with the form of every decayed product chosen by what is proven about the
    log-decays and said in a remark. Stays as it is where a call has one token
    a sequence: as many rows as sequences, one row, or a function with the
    attribute `k3.one_token`. Refuses log-decays that may be positive.
    Numeric: reassociates.
  }];
  let options = [
    Option<"chunkSize", "chunk-size", "int64_t", /*default=*/"64",
           "tokens of a chunk, 1 to 256">,
    Option<"subTile", "sub-tile", "int64_t", /*default=*/"16",
           "rows of a sub-tile, 1 to 64, which divides the chunk">];
  let statistics = [
    Statistic<"chunked", "chunked", "recurrences turned into chunks">];
  let dependentDialects = ["::k3::K3Dialect"];
}

def ExposeValuesPass : Pass<"k3-expose-values", "::mlir::ModuleOp"> {
  let summary = "return every intermediate value";
  let description = [{
    In: functions of k3 ops. Holds after: each function returns, after its own
    results, every float and integer tensor that its ops compute. Its name
    (`k3.name`) is `LOCATION:OP:RESULT`, with `#1`, `#2`, ... behind it when an
    earlier value has that name. Views (`k3.reshape`), weights and state pools
    are left out.
    Numeric: exact.
  }];
}

def PackWeightsPass : Pass<"k3-pack-weights", "::mlir::ModuleOp"> {
  let summary = "choose the memory layout of weights";
  let description = [{
    In: weights without packing. Holds after: a weight read only as the matrix
    of `k3.linear`, `k3.expert_up` or `k3.expert_down` is packed in panels, and
    its readers say so. Weights that one op reads are packed all or none. Others
    stay as in the checkpoint.
    Numeric: exact.
  }];
  let statistics = [
    Statistic<"packed", "packed", "weights packed in panels">];
}

def PrintDecayBoundsPass
    : Pass<"k3-print-decay-bounds", "::mlir::ModuleOp"> {
  let summary = "prove bounds of exponents of cumulative log-decays";
  let description = [{
    Says in a remark at each `k3.delta_rule` the bounds of its log-decays and
    the form in which a diagonal sub-tile of a chunk's decayed Gram matrix
    cannot overflow or vanish in fp32. Bounds come from `k3.gate`, constants
    and `k3.log_decay_bounds = array<f64: LOWER, UPPER>` on function arguments
    and ops, through `k3.reshape`, `k3.slice` and `k3.kernel`. Refuses a
    positive bound. It transforms nothing.
    Numeric: exact.
  }];
  let options = [
    Option<"subTile", "sub-tile", "int64_t", /*default=*/"16",
           "rows of a sub-tile, 1 to 64">];
}

def PrintDimensionsPass : Pass<"k3-print-dimensions", "::mlir::ModuleOp"> {
  let summary = "print which dynamic dimensions are one number";
  let description = [{
    Prints the shapes of a function's arguments and results of ops on standard
    output, with the symbols that entry points of an artefact will have.
    Numeric: exact.
  }];
}

def SetPrecisionPass : Pass<"k3-set-precision", "::mlir::ModuleOp"> {
  let summary = "compute with activations of another type";
  let description = [{
    In: functions before kernels are formed. Holds after, for `f32`: every float
    tensor that is not a weight or a view of one is fp32, states included.
    `bf16` leaves modules with bf16 activations alone and refuses others,
    because which fp32 values are islands is known to the importer only.
    Numeric: rounds (less often than before).
  }];
  let options = [
    Option<"precision", "precision", "std::string", /*default=*/"\"f32\"",
           "f32 or bf16">];
}

def SplitExpertsPass : Pass<"k3-split-experts"> {
  let summary = "both halves of the experts as ops";
  let description = [{
    In: `k3.latent_experts`. Holds after: none; each is `k3.expert_up` and
    `k3.expert_down`. Numeric: exact.
  }];
  let dependentDialects = ["::k3::K3Dialect"];
}

def VerifyStateUsePass : Pass<"k3-verify-state-use", "::mlir::ModuleOp"> {
  let summary = "check that states are updated in place only";
  let description = [{
    In: straight-line functions. Holds after: every function reads a state at
    most once, writes it at most once after that with a value made from it in
    place, and no op reads a state value behind the op that updated it.
    Numeric: exact.
  }];
}

#endif // K3_TRANSFORMS_PASSES
