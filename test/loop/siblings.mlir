// Two loops in a loop that share a scalar stay in a sequential loop, and what stands between them joins one of them.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// CHECK: loop i 5 {
// CHECK-NEXT: nest {{[a-z_0-9]+}} (j 7) {
// CHECK: nest {{[a-z_0-9]+}} (j 7) {
// CHECK-NOT: nest
func.func @forward(%x: memref<5x7xf32> {tepal.name = "x"},
                   %out: memref<5x7xf32> {tepal.name = "out", tepal.output}) {
  %least = arith.constant 0xFF800000 : f32
  %top = memref.alloc() : memref<1xf32>
  affine.for %i = 0 to 5 {
    affine.store %least, %top[0] : memref<1xf32>
    affine.for %j = 0 to 7 {
      %a = affine.load %x[%i, %j] : memref<5x7xf32>
      %b = affine.load %top[0] : memref<1xf32>
      %c = arith.maximumf %a, %b : f32
      affine.store %c, %top[0] : memref<1xf32>
    }
    affine.for %j = 0 to 7 {
      %a = affine.load %x[%i, %j] : memref<5x7xf32>
      %b = affine.load %top[0] : memref<1xf32>
      %c = arith.subf %a, %b : f32
      affine.store %c, %out[%i, %j] : memref<5x7xf32>
    }
  }
  return
}
