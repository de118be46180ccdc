// Functions on memrefs as their authors write them: results, written arguments, scalars, layouts, calls.
// RUN: %tepal opt %s --tepal-lower-to-affine -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: %tepal run %s --seed 9 -o %t.reference
// RUN: %tepal run %t.mlir --seed 9 -o %t.affine
// RUN: diff -r %t.reference %t.affine

// Inputs: a with a layout, the value of b at the start, the scalar. Outputs: d, which is only written, b at the
// end, the two results.
// CHECK: @forward(%[[A:.*]]: memref<4x4xf32> {tepal.name = "in0"}, %[[B:.*]]: memref<4xf32> {tepal.name = "in1"}, %[[S:.*]]: memref<f32> {tepal.name = "in2"}, %[[D:.*]]: memref<4xf32> {tepal.name = "out0", tepal.output}, %[[B1:.*]]: memref<4xf32> {tepal.name = "out1", tepal.output}, %[[R:.*]]: memref<4xf32> {tepal.name = "out2", tepal.output}, %[[T:.*]]: memref<f32> {tepal.name = "out3", tepal.output})
// CHECK-NOT: call
// CHECK: affine.load %[[B]]
// CHECK: affine.store %{{.*}}, %[[B1]]
func.func @forward(%a: memref<4x4xf32, strided<[?, ?], offset: ?>>, %d: memref<4xf32>, %b: memref<4xf32>, %s: f32) -> (memref<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %r = memref.alloc() : memref<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %row = memref.subview %a[%i, 0] [1, 4] [1, 1] : memref<4x4xf32, strided<[?, ?], offset: ?>> to memref<4xf32, strided<[?], offset: ?>>
    %sum = func.call @sum(%row) : (memref<4xf32, strided<[?], offset: ?>>) -> f32
    memref.store %sum, %r[%i] : memref<4xf32>
    %0 = arith.mulf %sum, %s : f32
    memref.store %0, %d[%i] : memref<4xf32>
  }
  // In place, twice: each call adds to the memory.
  scf.for %i = %c0 to %c2 step %c1 {
    func.call @add(%b, %r) : (memref<4xf32>, memref<4xf32>) -> ()
  }
  %total = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %zero) -> (f32) {
    %v = memref.load %b[%i] : memref<4xf32>
    %u = arith.addf %t, %v : f32
    scf.yield %u : f32
  }
  return %r, %total : memref<4xf32>, f32
}
func.func private @sum(%x: memref<4xf32, strided<[?], offset: ?>>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %0 = affine.for %i = 0 to 4 iter_args(%t = %zero) -> (f32) {
    %v = affine.load %x[%i] : memref<4xf32, strided<[?], offset: ?>>
    %u = arith.addf %t, %v : f32
    affine.yield %u : f32
  }
  return %0 : f32
}
func.func private @add(%x: memref<4xf32>, %y: memref<4xf32>) {
  affine.for %i = 0 to 4 {
    %0 = affine.load %x[%i] : memref<4xf32>
    %1 = affine.load %y[%i] : memref<4xf32>
    %2 = arith.addf %0, %1 : f32
    affine.store %2, %x[%i] : memref<4xf32>
  }
  return
}
