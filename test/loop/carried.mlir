// Values that loops carry live in memories of one element: a sum, two values that change places, a nested loop.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// CHECK: memory local {{.*}} : f32
// CHECK-NOT: while
func.func @forward(%x: memref<3x5xf32> {tepal.name = "x"},
                   %out: memref<4xf32> {tepal.name = "out", tepal.output}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %total = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %zero) -> (f32) {
    %row = affine.for %j = 0 to 5 iter_args(%part = %zero) -> (f32) {
      %a = memref.load %x[%i, %j] : memref<3x5xf32>
      %b = arith.addf %part, %a : f32
      affine.yield %b : f32
    }
    %next = arith.addf %sum, %row : f32
    scf.yield %next : f32
  }
  %swap:2 = scf.for %j = %c0 to %c5 step %c1 iter_args(%p = %zero, %q = %one) -> (f32, f32) {
    %a = memref.load %x[%c0, %j] : memref<3x5xf32>
    %b = arith.addf %p, %a : f32
    scf.yield %q, %b : f32, f32
  }
  %same = scf.for %j = %c0 to %c0 step %c1 iter_args(%p = %one) -> (f32) {
    scf.yield %zero : f32
  }
  affine.store %total, %out[0] : memref<4xf32>
  affine.store %swap#0, %out[1] : memref<4xf32>
  affine.store %swap#1, %out[2] : memref<4xf32>
  affine.store %same, %out[3] : memref<4xf32>
  return
}
