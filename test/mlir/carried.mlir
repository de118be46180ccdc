// Memories that loops carry, as bufferization makes them of tensors, are always the same ones; what may be permuted is
// saved before the first copy.
// RUN: %tepal opt %s --pass-pipeline="builtin.module(tepal-carried,canonicalize)" | FileCheck %s
// CHECK-LABEL: func.func @swap
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>
// CHECK-DAG: %[[A:.*]] = memref.alloc() : memref<8xf32>
// CHECK-DAG: %[[B:.*]] = memref.alloc() : memref<8xf32>
// CHECK-DAG: memref.copy %[[X]], %[[A]]
// CHECK-DAG: memref.copy %[[Y]], %[[B]]
// CHECK: scf.for %[[I:.*]] = {{[^(]*}} {
// CHECK-NOT: iter_args
// CHECK: memref.store %{{.*}}, %[[A]][%[[I]]]
// CHECK: memref.copy %[[B]], %[[SAVED_B:.*]] :
// CHECK: memref.copy %[[A]], %[[SAVED_A:.*]] :
// CHECK: memref.copy %[[SAVED_B]], %[[A]]
// CHECK: memref.copy %[[SAVED_A]], %[[B]]
// CHECK: return %[[A]]
func.func @swap(%n: index, %x: memref<8xf32>, %y: memref<8xf32>) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (memref<8xf32>, memref<8xf32>) {
    memref.store %v, %a[%i] : memref<8xf32>
    scf.yield %b, %a : memref<8xf32>, memref<8xf32>
  }
  return %r#0 : memref<8xf32>
}
// What the body makes is copied without that; what a while's condition hands on has a memory of its own unless it is carried.
// CHECK-LABEL: func.func @made
// CHECK-SAME: %[[X:.*]]: memref<4xf32>
// CHECK: %[[M:.*]] = memref.alloc() : memref<4xf32>
// CHECK: memref.copy %[[X]], %[[M]]
// CHECK: scf.while : () -> () {
// CHECK: memref.load %[[M]]
// CHECK: scf.condition(%{{[^)]*}})
// CHECK: do
// CHECK: %[[MADE:.*]] = memref.alloc() : memref<4xf32>
// CHECK: memref.copy %[[MADE]], %[[M]]
// CHECK: return %[[M]]
func.func @made(%x: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.while (%m = %x) : (memref<4xf32>) -> memref<4xf32> {
    %v = memref.load %m[%c0] : memref<4xf32>
    %more = arith.cmpf ogt, %v, %zero : f32
    scf.condition(%more) %m : memref<4xf32>
  } do {
  ^bb0(%m: memref<4xf32>):
    %t = memref.alloc() : memref<4xf32>
    %v = memref.load %m[%c0] : memref<4xf32>
    %w = arith.subf %zero, %v : f32
    memref.store %w, %t[%c0] : memref<4xf32>
    scf.yield %t : memref<4xf32>
  }
  return %r : memref<4xf32>
}
