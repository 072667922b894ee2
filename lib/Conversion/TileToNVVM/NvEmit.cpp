// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread's instructions. Names of instructions are those of NVIDIA's PTX
// ISA; what the nvvm dialect lacks is inline assembly.

#include "NvEmit.h"

using namespace mlir;
using namespace k3::tile;

Value NvEmit::c32(int64_t value) {
  return LLVM::ConstantOp::create(b, loc, i32(), b.getI32IntegerAttr(value));
}
Value NvEmit::c64(int64_t value) {
  return LLVM::ConstantOp::create(b, loc, i64(), b.getI64IntegerAttr(value));
}
Value NvEmit::cf32(float value) {
  return LLVM::ConstantOp::create(b, loc, f32(), b.getF32FloatAttr(value));
}

Value NvEmit::add(Value x, Value y) {
  return LLVM::AddOp::create(b, loc, x, y);
}
Value NvEmit::mul(Value x, Value y) {
  return LLVM::MulOp::create(b, loc, x, y);
}
Value NvEmit::bitAnd(Value x, Value y) {
  return LLVM::AndOp::create(b, loc, x, y);
}
Value NvEmit::bitXor(Value x, Value y) {
  return LLVM::XOrOp::create(b, loc, x, y);
}
Value NvEmit::shl(Value x, int64_t bits) {
  return LLVM::ShlOp::create(b, loc, x, c32(bits));
}
Value NvEmit::shr(Value x, int64_t bits) {
  return LLVM::LShrOp::create(b, loc, x, c32(bits));
}
Value NvEmit::wide(Value x) { return LLVM::SExtOp::create(b, loc, i64(), x); }
Value NvEmit::less(Value x, Value y) {
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::slt, x, y);
}
Value NvEmit::equal(Value x, Value y) {
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, x, y);
}

Value NvEmit::fma(Value x, Value y, Value z) {
  return LLVM::FMAOp::create(b, loc, x, y, z);
}
Value NvEmit::fadd(Value x, Value y) {
  return LLVM::FAddOp::create(b, loc, x, y);
}
Value NvEmit::fneg(Value x) { return LLVM::FNegOp::create(b, loc, x); }
Value NvEmit::exp2(Value x) {
  return intrinsic("llvm.nvvm.ex2.approx.ftz.f", f32(), x);
}
Value NvEmit::log2(Value x) {
  return intrinsic("llvm.nvvm.lg2.approx.ftz.f", f32(), x);
}
Value NvEmit::rsqrt(Value x) {
  return intrinsic("llvm.nvvm.rsqrt.approx.ftz.f", f32(), x);
}
Value NvEmit::reciprocal(Value x) {
  return intrinsic("llvm.nvvm.rcp.approx.ftz.f", f32(), x);
}
Value NvEmit::divide(Value x, Value y) {
  return LLVM::FMulOp::create(b, loc, x, reciprocal(y));
}
Value NvEmit::tanh(Value x) {
  return assembly("tanh.approx.f32 $0, $1;", "=f,f", x, {f32()}, false)[0];
}

Value NvEmit::pack(Value low, Value high) {
  // The first operand of the instruction becomes the upper half.
  return assembly("cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f",
                  ValueRange{high, low}, {i32()}, false)[0];
}
std::pair<Value, Value> NvEmit::unpack(Value pair) {
  Value high = bitAnd(pair, c32(int32_t(0xffff0000)));
  return {LLVM::BitcastOp::create(b, loc, f32(), shl(pair, 16)),
          LLVM::BitcastOp::create(b, loc, f32(), high)};
}

Value NvEmit::threadId() { return NVVM::ThreadIdXOp::create(b, loc, i32()); }
Value NvEmit::opaque(Value x) {
  return assembly("mov.b32 $0, $1;", "=r,r", x, {i32()}, true)[0];
}
Value NvEmit::opaqueZero() {
  return assembly("mov.b32 $0, 0;", "=r", {}, {i32()}, true)[0];
}
Value NvEmit::lane() { return bitAnd(threadId(), c32(31)); }
Value NvEmit::warp() {
  return intrinsic("llvm.nvvm.shfl.sync.idx.i32", i32(),
                   {c32(-1), shr(threadId(), 5), c32(0), c32(31)});
}
Value NvEmit::block() {
  return intrinsic("llvm.nvvm.read.ptx.sreg.ctaid.x", i32(), {});
}
Value NvEmit::shuffleXor(Value x, int64_t mask) {
  return intrinsic("llvm.nvvm.shfl.sync.bfly.f32", f32(),
                   {c32(-1), x, c32(mask), c32(31)});
}

Value NvEmit::offset(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}
Value NvEmit::offset(Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}
Value NvEmit::load(Type type, Value pointer, unsigned alignment) {
  return LLVM::LoadOp::create(b, loc, type, pointer, alignment);
}
void NvEmit::store(Value value, Value pointer, unsigned alignment) {
  LLVM::StoreOp::create(b, loc, value, pointer, alignment);
}

void NvEmit::copyAsync(Value shared, Value global, Value live) {
  Value bytes = LLVM::SelectOp::create(b, loc, live, c32(16), c32(0));
  assembly("cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r,~{memory}",
           ValueRange{shared, global, bytes}, {}, true);
}
void NvEmit::copyWait() {
  assembly("cp.async.wait_all;", "~{memory}", {}, {}, true);
}

Values NvEmit::loadMatrixTransposed(Value pointer) {
  return assembly("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                  "{$0, $1, $2, $3}, [$4];",
                  "=r,=r,=r,=r,r,~{memory}", pointer,
                  {i32(), i32(), i32(), i32()}, true);
}
void NvEmit::storeMatrix(Value pointer, ValueRange values) {
  Values operands{pointer};
  operands.append(values.begin(), values.end());
  assembly("stmatrix.sync.aligned.m8n8.x4.shared.b16 [$0], {$1, $2, $3, $4};",
           "r,r,r,r,r,~{memory}", operands, {}, true);
}
void NvEmit::storeMatrixTransposed(Value pointer, ValueRange values) {
  Values operands{pointer};
  operands.append(values.begin(), values.end());
  assembly("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [$0], "
           "{$1, $2, $3, $4};",
           "r,r,r,r,r,~{memory}", operands, {}, true);
}

Values NvEmit::mmaTf32(ValueRange acc, ValueRange a, ValueRange bValues) {
  Values operands;
  for (ValueRange values : {a, bValues})
    for (Value value : values)
      operands.push_back(assembly("cvt.rna.tf32.f32 $0, $1;", "=r,f", value,
                                  {i32()}, false)[0]);
  operands.append(acc.begin(), acc.end());
  return assembly("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                  "{$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, "
                  "{$10, $11, $12, $13};",
                  "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f", operands,
                  {f32(), f32(), f32(), f32()}, true);
}

/// PTX ISA, matrix descriptor: address, leading and stride byte offset in units
/// of 16 bytes, swizzle of 128 bytes. Eight rows of 128 bytes are one stride.
Value NvEmit::descriptor(Value pointer, int64_t leadingBytes) {
  Value address = LLVM::PtrToIntOp::create(b, loc, i32(), pointer);
  address = shr(bitAnd(address, c32(0x3ffff)), 4);
  address = LLVM::ZExtOp::create(b, loc, i64(), address);
  uint64_t rest = uint64_t(leadingBytes >> 4) << 16 |
                  uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
  return LLVM::OrOp::create(b, loc, address, c64(int64_t(rest)));
}
Value NvEmit::advance(Value descriptor, int64_t bytes) {
  return bytes == 0 ? descriptor : add(descriptor, c64(bytes >> 4));
}

Values NvEmit::wgmma(ValueRange acc, unsigned count, ValueRange a, Value bDesc,
                     bool transposeB, bool negate) {
  bool zero = acc.empty(), inRegisters = a.size() == 4;
  std::string text, constraints;
  llvm::raw_string_ostream out(text);
  unsigned next = 0;
  auto list = [&](unsigned length) {
    out << '{';
    for (unsigned i = 0; i < length; ++i)
      out << (i ? ", $" : "$") << next++;
    out << '}';
  };
  out << "{\n.reg .pred p;\nsetp.ne.b32 p, " << !zero << ", 0;\n"
      << "wgmma.mma_async.sync.aligned.m64n" << count * 2
      << "k16.f32.bf16.bf16 ";
  list(count);
  for (unsigned i = 0; i < count; ++i)
    constraints += "=f,";
  for (unsigned i = 0; i < acc.size(); ++i)
    constraints += std::to_string(i) + ",";
  next = count + acc.size();
  Values operands(acc);
  operands.append(a.begin(), a.end());
  operands.push_back(bDesc);
  out << ", ";
  if (inRegisters)
    list(4);
  else
    out << '$' << next++;
  out << ", $" << next << ", p, " << (negate ? -1 : 1) << ", 1, "
      << (inRegisters ? "" : "0, ") << transposeB << ";\n}";
  constraints += inRegisters ? "r,r,r,r,l,~{memory}" : "l,l,~{memory}";
  return assembly(text, constraints, operands,
                  llvm::SmallVector<Type>(count, f32()), true);
}

/// An instruction through which values pass unchanged.
Values NvEmit::threaded(StringRef text, ValueRange values) {
  std::string constraints;
  llvm::SmallVector<Type> types;
  for (Value value : values) {
    constraints += value.getType().isF32() ? "=f," : "=r,";
    types.push_back(value.getType());
  }
  for (unsigned i = 0; i < values.size(); ++i)
    constraints += std::to_string(i) + ",";
  return assembly(text, constraints + "~{memory}", values, types, true);
}
Values NvEmit::wgmmaFence(ValueRange values) {
  return threaded("wgmma.fence.sync.aligned;", values);
}
void NvEmit::wgmmaCommit() {
  assembly("wgmma.commit_group.sync.aligned;", "~{memory}", {}, {}, true);
}
Values NvEmit::wgmmaWait(int64_t pending, ValueRange values) {
  return threaded(
      "wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";", values);
}

void NvEmit::barrier(Value id, int64_t threads) {
  assembly("bar.sync $0, " + std::to_string(threads) + ";", "r,~{memory}", id,
           {}, true);
}
void NvEmit::syncWarp() {
  assembly("bar.warp.sync -1;", "~{memory}", {}, {}, true);
}
void NvEmit::fenceShared() {
  assembly("fence.proxy.async.shared::cta;", "~{memory}", {}, {}, true);
}
void NvEmit::initBarrier(Value pointer, int64_t arrivals) {
  assembly("mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}",
           ValueRange{pointer, c32(arrivals)}, {}, true);
}
void NvEmit::waitBarrier(Value pointer, Value parity) {
  assembly("{\n.reg .pred done;\nagain:\n"
           "mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n"
           "@!done bra again;\n}",
           "r,r,~{memory}", ValueRange{pointer, parity}, {}, true);
}
void NvEmit::arriveBarrier(Value pointer) {
  assembly("mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}", pointer,
           {}, true);
}
void NvEmit::arriveBarrierAfterCopies(Value pointer) {
  assembly("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];",
           "r,~{memory}", pointer, {}, true);
}
void NvEmit::setMaxRegisters(int64_t count, bool increase) {
  assembly("setmaxnreg." + std::string(increase ? "inc" : "dec") +
               ".sync.aligned.u32 " + std::to_string(count) + ";",
           "~{memory}", {}, {}, true);
}

Value NvEmit::intrinsic(StringRef name, Type type, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name),
                                       operands)
      .getResult(0);
}

Values NvEmit::assembly(StringRef text, StringRef constraints,
                        ValueRange operands, ArrayRef<Type> results,
                        bool effects) {
  SmallVector<Type, 1> type;
  if (results.size() == 1)
    type.push_back(results[0]);
  else if (results.size() > 1)
    type.push_back(LLVM::LLVMStructType::getLiteral(b.getContext(), results));
  auto op = LLVM::InlineAsmOp::create(
      b, loc, type, operands, text, constraints, effects,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
  if (results.size() == 1)
    return {op->getResult(0)};
  Values out;
  for (int64_t i = 0; i < int64_t(results.size()); ++i)
    out.push_back(
        LLVM::ExtractValueOp::create(b, loc, op->getResult(0), ArrayRef{i}));
  return out;
}
