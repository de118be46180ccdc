// Code before and behind an inner loop joins it by predicates; the row's sum is a buffer of four: the rows of one column step are in flight together.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// CHECK: nest {{[a-z_0-9]+}} (j 6, i 4) {
// CHECK-NOT: nest
// CHECK: store {{.*}} out[i] : f32 if
// CHECK-NOT: loop
func.func @forward(%x: memref<4x6xf32> {tepal.name = "x"},
                   %out: memref<4xf32> {tepal.name = "out", tepal.output}) {
  %zero = arith.constant 0.0 : f32
  %third = arith.constant 0.333 : f32
  affine.for %i = 0 to 4 {
    affine.store %zero, %out[%i] : memref<4xf32>
    affine.for %j = 0 to 6 {
      %a = affine.load %x[%i, %j] : memref<4x6xf32>
      %b = affine.load %out[%i] : memref<4xf32>
      %c = arith.addf %a, %b : f32
      affine.store %c, %out[%i] : memref<4xf32>
    }
    %s = affine.load %out[%i] : memref<4xf32>
    %m = arith.mulf %s, %third : f32
    affine.store %m, %out[%i] : memref<4xf32>
  }
  return
}
