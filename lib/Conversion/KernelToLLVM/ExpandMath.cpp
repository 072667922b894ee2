// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, log, log1p, tanh and rsqrt on fp32 as polynomials, bf16 conversions as
// integer operations; on scalars and vectors alike, lane by lane.

#include "k3/Conversion/KernelToLLVM/Passes.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace k3 {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "k3/Conversion/KernelToLLVM/Passes.h.inc"

namespace {

/// fp32 and 32-bit integer arithmetic on values of one shape.
class LaneMath {
public:
  LaneMath(OpBuilder &b, Location loc, Type type)
      : b(b), loc(loc), floats(type) {
    ints = b.getI32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      ints = vector.clone(b.getI32Type());
  }

  Value f(double value) { return constant(floats, b.getF32FloatAttr(value)); }
  Value i(int32_t value) { return constant(ints, b.getI32IntegerAttr(value)); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value less(Value x, Value y) {
    return compare(arith::CmpFPredicate::OLT, x, y);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value bits(Value x) { return arith::BitcastOp::create(b, loc, ints, x); }
  Value real(Value x) { return arith::BitcastOp::create(b, loc, floats, x); }
  Value addI(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value subI(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value shiftLeft(Value x, int32_t by) {
    return arith::ShLIOp::create(b, loc, x, i(by));
  }
  Value shiftRight(Value x, int32_t by) {
    return arith::ShRSIOp::create(b, loc, x, i(by));
  }
  Value asReal(Value x) { return arith::SIToFPOp::create(b, loc, floats, x); }
  /// Horner's rule; highest power first.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = f(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, f(coefficient));
    return sum;
  }

  Value exp(Value x);
  Value log(Value x);
  Value log1p(Value x);
  Value tanh(Value x);

  OpBuilder &b;
  Location loc;

private:
  Value constant(Type type, TypedAttr value) {
    if (auto vector = dyn_cast<VectorType>(type))
      value = DenseElementsAttr::get(vector, Attribute(value));
    return arith::ConstantOp::create(b, loc, value);
  }

  Type floats, ints;
};

/// exp(x) = 2^n exp(r), |r| <= log(2) / 2, n the nearest integer to x / log(2).
/// The power of two is applied in two halves, so that the result overflows to
/// infinity and runs through the denormals to zero by itself.
Value LaneMath::exp(Value x) {
  // Beyond these bounds the result is infinite or zero. A NaN passes through.
  x = select(less(f(89.0), x), f(89.0), x);
  x = select(less(x, f(-104.0)), f(-104.0), x);
  // Adding 1.5 * 2^23 leaves the nearest integer in the low bits of the sum.
  Value magic = f(12582912.0);
  Value shifted = fma(x, f(1.44269504088896341), magic);
  Value n = sub(shifted, magic);
  Value power = subI(bits(shifted), i(0x4B400000));
  Value r = fma(n, f(-0.693359375), x);
  r = fma(n, f(2.12194440054690583e-4), r);
  Value p = polynomial(
      r, {1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5});
  p = fma(mul(r, r), p, r);
  p = add(p, f(1.0));
  Value half = shiftRight(power, 1);
  auto powerOfTwo = [&](Value exponent) {
    return real(shiftLeft(addI(exponent, i(127)), 23));
  };
  p = mul(p, powerOfTwo(half));
  return mul(p, powerOfTwo(subI(power, half)));
}

/// log(x) = e log(2) + log(m), m in [sqrt(1/2), sqrt(2)), the latter as a
/// polynomial (the coefficients of Cephes' logf).
Value LaneMath::log(Value x) {
  Value tiny = less(x, f(1.17549435e-38));
  Value scaled = select(tiny, mul(x, f(8388608.0)), x);
  Value offset = select(tiny, i(-23), i(0));
  // Exponent relative to sqrt(1/2), the lower end of m.
  Value up = subI(bits(scaled), i(0x3F3504F3));
  Value exponent = shiftRight(up, 23);
  Value m = real(subI(bits(scaled), shiftLeft(exponent, 23)));
  Value e = asReal(addI(exponent, offset));
  Value r = sub(m, f(1.0));
  Value squared = mul(r, r);
  Value p = polynomial(r, {7.0376836292E-2, -1.1514610310E-1, 1.1676998740E-1,
                           -1.2420140846E-1, 1.4249322787E-1, -1.6668057665E-1,
                           2.0000714765E-1, -2.4999993993E-1, 3.3333331174E-1});
  Value y = mul(mul(p, squared), r);
  y = fma(e, f(-2.12194440e-4), y);
  y = fma(squared, f(-0.5), y);
  y = fma(e, f(0.693359375), add(r, y));
  double infinity = std::numeric_limits<double>::infinity();
  y = select(compare(arith::CmpFPredicate::OEQ, x, f(infinity)), x, y);
  y = select(compare(arith::CmpFPredicate::OEQ, x, f(0.0)), f(-infinity), y);
  Value valid = compare(arith::CmpFPredicate::OGE, x, f(0.0));
  return select(valid, y, f(std::numeric_limits<double>::quiet_NaN()));
}

/// log(u) with u = 1 + x rounded, and the first-order effect of that rounding.
Value LaneMath::log1p(Value x) {
  Value u = add(x, f(1.0));
  Value lost = sub(x, sub(u, f(1.0)));
  Value y = add(log(u), div(lost, u));
  Value infinite = compare(arith::CmpFPredicate::OEQ, u,
                           f(std::numeric_limits<double>::infinity()));
  Value bound = compare(arith::CmpFPredicate::OEQ, u, f(0.0));
  y = select(infinite, u, y);
  y = select(bound, f(-std::numeric_limits<double>::infinity()), y);
  // Also keeps the sign of zero.
  Value small = less(math::AbsFOp::create(b, loc, x), f(1e-10));
  return select(small, x, y);
}

/// An odd polynomial near zero (the coefficients of Cephes' tanhf), and
/// 1 - 2 / (exp(2 |x|) + 1) with the sign of x elsewhere.
Value LaneMath::tanh(Value x) {
  Value size = math::AbsFOp::create(b, loc, x);
  Value squared = mul(x, x);
  Value p = polynomial(squared,
                       {-5.70498872745E-3, 2.06390887954E-2, -5.37397155531E-2,
                        1.33314422036E-1, -3.33332819422E-1});
  Value near = fma(mul(p, squared), x, x);
  Value e = exp(add(size, size));
  Value far = sub(f(1.0), div(f(2.0), add(e, f(1.0))));
  far = math::CopySignOp::create(b, loc, far, x);
  return select(less(size, f(0.625)), near, far);
}

bool isF32(Type type) { return getElementTypeOrSelf(type).isF32(); }

template <typename Op, Value (LaneMath::*formula)(Value)>
struct ExpandUnary : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isF32(op.getType()))
      return failure();
    LaneMath math(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, (math.*formula)(op.getOperand()));
    return success();
  }
};

struct ExpandRsqrt : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &rewriter) const override {
    if (!isF32(op.getType()))
      return failure();
    LaneMath math(rewriter, op.getLoc(), op.getType());
    Value root = math::SqrtOp::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOp(op, math.div(math.f(1.0), root));
    return success();
  }
};

/// Rounds to nearest even and quiets NaN, all of it in 32-bit lanes: a choice
/// between 16-bit lanes by a 32-bit comparison would be split into scalars
/// without AVX-512.
struct ExpandTruncation : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type wide = op.getIn().getType(), narrow = op.getType();
    if (!isF32(wide) || !getElementTypeOrSelf(narrow).isBF16())
      return failure();
    Location loc = op.getLoc();
    LaneMath math(rewriter, loc, wide);
    Value bits = math.bits(op.getIn());
    Value upper = arith::ShRUIOp::create(rewriter, loc, bits, math.i(16));
    Value odd = arith::AndIOp::create(rewriter, loc, upper, math.i(1));
    Value sum = math.addI(math.addI(bits, math.i(0x7fff)), odd);
    Value rounded = arith::ShRUIOp::create(rewriter, loc, sum, math.i(16));
    Value quiet = arith::OrIOp::create(rewriter, loc, upper, math.i(0x40));
    Value isNan =
        math.compare(arith::CmpFPredicate::UNO, op.getIn(), op.getIn());
    Type half = rewriter.getI16Type();
    if (auto vector = dyn_cast<VectorType>(narrow))
      half = vector.clone(half);
    Value kept = arith::TruncIOp::create(rewriter, loc, half,
                                         math.select(isNan, quiet, rounded));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, narrow, kept);
    return success();
  }
};

struct ExpandMathPass : impl::ExpandMathPassBase<ExpandMathPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandUnary<math::ExpOp, &LaneMath::exp>,
                 ExpandUnary<math::LogOp, &LaneMath::log>,
                 ExpandUnary<math::Log1pOp, &LaneMath::log1p>,
                 ExpandUnary<math::TanhOp, &LaneMath::tanh>, ExpandRsqrt>(
        &getContext());
    patterns.add<ExpandTruncation>(&getContext(), /*benefit=*/2);
    arith::populateExpandBFloat16Patterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace

} // namespace k3
