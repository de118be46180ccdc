// Loops whose bounds depend on enclosing loops run for the longest trip count, under a predicate.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// Triangle.
// CHECK: nest {{[a-z_0-9]+}} (j 5, i 5) {
// CHECK: cmpi
// Tiles of 4 of 10, the last one short.
// CHECK: nest {{[a-z_0-9]+}} (i 3, j 4) {
// A step that does not divide the range.
// CHECK: nest {{[a-z_0-9]+}} (i 4) {
// CHECK: store {{.*}}, every_third[3*i + 1]
func.func @forward(%x: memref<5x5xf32> {tepal.name = "x"}, %y: memref<10xf32> {tepal.name = "y"},
                   %sums: memref<5xf32> {tepal.name = "sums", tepal.output},
                   %tiled: memref<10xf32> {tepal.name = "tiled", tepal.output},
                   %strided: memref<11xf32> {tepal.name = "every_third", tepal.output}) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 5 {
    affine.store %zero, %sums[%i] : memref<5xf32>
    affine.for %j = affine_map<(i) -> (i)>(%i) to 5 {
      %a = affine.load %x[%i, %j] : memref<5x5xf32>
      %b = affine.load %sums[%i] : memref<5xf32>
      %c = arith.addf %a, %b : f32
      affine.store %c, %sums[%i] : memref<5xf32>
    }
  }
  affine.for %i = 0 to 10 step 4 {
    affine.for %j = affine_map<(i) -> (i)>(%i) to min affine_map<(i) -> (i + 4, 10)>(%i) {
      %a = affine.load %y[%j] : memref<10xf32>
      %b = arith.negf %a : f32
      affine.store %b, %tiled[%j] : memref<10xf32>
    }
  }
  affine.for %i = 0 to 11 {
    affine.store %zero, %strided[%i] : memref<11xf32>
  }
  affine.for %i = 1 to 11 step 3 {
    %a = affine.load %y[%i - 1] : memref<10xf32>
    affine.store %a, %strided[%i] : memref<11xf32>
  }
  return
}
