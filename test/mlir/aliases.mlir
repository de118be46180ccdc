// What is done with one of two memories is done in the branches of an if. A loop that hands on memories is refused, as
// their copies would lose what is stored in them.
// RUN: %tepal opt %s --pass-pipeline="builtin.module(tepal-aliases,cse)" | FileCheck %s
// RUN: sed 's,^//L ,,' %s >%t.loop.mlir; not %tepal opt %t.loop.mlir --tepal-aliases 2>&1 | FileCheck %s --check-prefix=LOOP
// CHECK-LABEL: func.func @store
// CHECK-SAME: %[[P:[a-z0-9]+]]: i1, %[[A:[a-z0-9]+]]: memref<8xf32>, %[[B:[a-z0-9]+]]: memref<8xf32>
// CHECK-NOT: arith.select
// CHECK: affine.for %[[I:.*]] = 0 to 8
// CHECK: %[[V:.*]] = scf.if %[[P]] -> (f32) {
// CHECK: affine.load %[[A]][%[[I]]]
// CHECK: } else {
// CHECK: affine.load %[[B]][%[[I]]]
// CHECK: scf.if %[[P]] {
// CHECK: affine.store %[[V]], %[[A]][
// CHECK: } else {
// CHECK: affine.store %[[V]], %[[B]][
func.func @store(%p: i1, %a: memref<8xf32>, %b: memref<8xf32>) {
  %m = arith.select %p, %a, %b : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %m[%i] : memref<8xf32>
    affine.store %v, %m[7 - %i] : memref<8xf32>
  }
  return
}
// A choice of a choice.
// CHECK-LABEL: func.func @three
// CHECK-SAME: %[[P:[a-z0-9]+]]: i1, %[[Q:[a-z0-9]+]]: i1, %[[A:[a-z0-9]+]]: memref<f32>, %[[B:[a-z0-9]+]]: memref<f32>, %[[C:[a-z0-9]+]]: memref<f32>
// CHECK-NOT: arith.select %{{.*}} : memref
// CHECK: scf.if %[[Q]]
// CHECK: memref.load %[[C]]
// CHECK: else
// CHECK: scf.if %[[P]]
// CHECK: memref.load %[[A]]
// CHECK: memref.load %[[B]]
func.func @three(%p: i1, %q: i1, %a: memref<f32>, %b: memref<f32>, %c: memref<f32>) -> f32 {
  %m = arith.select %p, %a, %b : memref<f32>
  %n = arith.select %q, %c, %m : memref<f32>
  %v = memref.load %n[] : memref<f32>
  return %v : f32
}
// LOOP: error: scf.for that hands on memories is not supported: let it hand on tensors or numbers
//L func.func @loop(%p: index, %a: memref<8xf32>, %b: memref<8xf32>) {
//L   %r:2 = scf.for %i = %p to %p step %p iter_args(%x = %a, %y = %b) -> (memref<8xf32>, memref<8xf32>) {
//L     scf.yield %y, %x : memref<8xf32>, memref<8xf32>
//L   }
//L   memref.copy %r#0, %a : memref<8xf32> to memref<8xf32>
//L   return
//L }
