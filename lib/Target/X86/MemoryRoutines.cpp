// Part of k3, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memcpy, memmove and memset, so that kernels need no C library. The attribute
// "no-builtins" keeps LLVM from turning each loop into a call of itself; byte
// loops become vector loops of the CPU level.

#include "CodeGenerator.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"

using namespace k3;

static constexpr llvm::StringLiteral routines = R"(
define hidden ptr @memcpy(ptr noalias %to, ptr noalias %from, i64 %n) #0 {
entry:
  %none = icmp eq i64 %n, 0
  br i1 %none, label %done, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %src = getelementptr i8, ptr %from, i64 %i
  %byte = load i8, ptr %src
  %dst = getelementptr i8, ptr %to, i64 %i
  store i8 %byte, ptr %dst
  %next = add nuw i64 %i, 1
  %last = icmp eq i64 %next, %n
  br i1 %last, label %done, label %loop
done:
  ret ptr %to
}

define hidden ptr @memmove(ptr %to, ptr %from, i64 %n) #0 {
entry:
  %to.int = ptrtoint ptr %to to i64
  %from.int = ptrtoint ptr %from to i64
  %distance = sub i64 %to.int, %from.int
  %forward = icmp uge i64 %distance, %n
  br i1 %forward, label %up, label %down
up:
  %copied = call ptr @memcpy(ptr %to, ptr %from, i64 %n)
  ret ptr %to
down:
  %i = phi i64 [ %n, %entry ], [ %next, %step ]
  %end = icmp eq i64 %i, 0
  br i1 %end, label %done, label %step
step:
  %next = sub nuw i64 %i, 1
  %src = getelementptr i8, ptr %from, i64 %next
  %byte = load i8, ptr %src
  %dst = getelementptr i8, ptr %to, i64 %next
  store i8 %byte, ptr %dst
  br label %down
done:
  ret ptr %to
}

define hidden ptr @memset(ptr %to, i32 %value, i64 %n) #0 {
entry:
  %byte = trunc i32 %value to i8
  %none = icmp eq i64 %n, 0
  br i1 %none, label %done, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %dst = getelementptr i8, ptr %to, i64 %i
  store i8 %byte, ptr %dst
  %next = add nuw i64 %i, 1
  %last = icmp eq i64 %next, %n
  br i1 %last, label %done, label %loop
done:
  ret ptr %to
}

attributes #0 = { noinline nounwind "no-builtins" }
)";

k3::Status k3::emitMemoryRoutines(const CpuTarget &target,
                                  std::string &object) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(routines, problem, context);
  if (!module)
    return Status::error(Code::Internal, 590,
                         "memory routines: " + problem.getMessage().str());
  CodeGenerator generator;
  K3_TRY(generator.open(target));
  KernelObject code;
  K3_TRY(generator.run(*module, /*wantText=*/false, code));
  object = std::move(code.bytes);
  return {};
}
