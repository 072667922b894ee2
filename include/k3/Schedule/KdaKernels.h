// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fused kernels of the KDA layer (Kimi Linear report, section 3; Kimi K3
// report, eq. 5) as k3t programs.
//
// Names: T tokens of all sequences, N sequences, P slots, H heads of width K
// (keys) and V (values). Device memory is row major; `state` is F32
// [P, H, V, K]. Sequence n has the tokens cu_seqlens[n] .. cu_seqlens[n + 1],
// lives in slot slots[n] (-1: a padded row, nothing is kept), and is fresh when
// context_lens[n] is 0: the old content of its slot is not read.

#ifndef K3_SCHEDULE_KDAKERNELS_H
#define K3_SCHEDULE_KDAKERNELS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace k3 {

/// What a KDA kernel is generated for.
struct KdaShape {
  int64_t heads = 0;
  int64_t keyDim = 128, valueDim = 128;
  /// g = lowerBound * sigmoid(exp(A_log) (z + dt_bias)); 0: the unbounded gate
  /// -exp(A_log) softplus(z + dt_bias).
  double lowerBound = -5;
  double normEpsilon = 1e-6; ///< of the L2 norm of q and k
  double rmsEpsilon = 1e-5;  ///< of the output norm
};

/// The recurrence of many tokens, in chunks of 64 (WY form). One workgroup a
/// sequence and head: the grid is N * H.
///
///   kda_prefill(q, k, v, g, beta, A_log, dt_bias, state, o,
///               cu_seqlens, slots, context_lens)
///
/// q, k, g BF16 [T, H, K]; v, o BF16 [T, H, V]; beta BF16 [T, H], before its
/// sigmoid; g before the gate map; A_log F32 [H]; dt_bias F32 [H, K].
/// q and k are normalised inside, q is scaled by K^-0.5.
///
/// Needs sm_90a, K = V = 128 and a bounded gate: with exponents of at most
/// 32 tokens to either side of an anchor, |32 / 2 * lowerBound * log2(e)| must
/// stay under 126. Fails with a diagnostic otherwise.
mlir::FailureOr<mlir::func::FuncOp> buildKdaPrefill(mlir::ModuleOp module,
                                                    const KdaShape &shape);

/// The same in two kernels, for few heads. A workspace takes what passes
/// between them: with W = floor(T / 64) + N chunks, `factors` is BF16 [W, H,
/// 32768] and `vectors` F32 [W, H, 256]; nothing has to be cleared.
///
///   kda_prepare(q, k, g, beta, A_log, dt_bias, factors, vectors, cu_seqlens,
///   N) kda_recur(v, state, o, factors, vectors, cu_seqlens, slots,
///   context_lens)
///
/// N is an i64. The grids are W * H and 2 * N * H.
mlir::FailureOr<mlir::func::FuncOp> buildKdaPrepare(mlir::ModuleOp module,
                                                    const KdaShape &shape);
mlir::FailureOr<mlir::func::FuncOp> buildKdaRecur(mlir::ModuleOp module,
                                                  const KdaShape &shape);

/// One token a sequence: short convolution, norms, gate, recurrence, gated
/// output norm, with window and state updated in place. The grid is N * H.
///
///   kda_decode(q, k, v, g, beta, og, q_conv, k_conv, v_conv, A_log, dt_bias,
///              o_norm, q_window, k_window, v_window, state, o,
///              slots, context_lens)
///
/// q, k, v, og BF16 [N, H, K or V], before the convolution; weights of the
/// convolution F32 [H * K, 4], the last tap for the newest token; windows BF16
/// [P, 3, H * K], oldest first; o_norm F32 [V]; o BF16 [N, H, V] =
/// rmsnorm(o) * o_norm * sigmoid(og).
mlir::FailureOr<mlir::func::FuncOp> buildKdaDecode(mlir::ModuleOp module,
                                                   const KdaShape &shape);

} // namespace k3

#endif // K3_SCHEDULE_KDAKERNELS_H
