// Two loops in a loop that share no scalar come apart into perfect nests.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// CHECK-NOT:  loop
// CHECK:      nest {{[a-z_0-9]+}} (i 5, j 7) {
// CHECK:      nest {{[a-z_0-9]+}} (i 5, j 7) {
// CHECK-NOT:  nest
func.func @forward(%x: memref<5x7xf32> {tepal.name = "x"},
                   %out: memref<5x7xf32> {tepal.name = "out", tepal.output}) {
  %row = memref.alloc() : memref<5x7xf32>
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 7 {
      %a = affine.load %x[%i, %j] : memref<5x7xf32>
      %b = arith.addf %a, %a : f32
      affine.store %b, %row[%i, %j] : memref<5x7xf32>
    }
    affine.for %j = 0 to 7 {
      %a = affine.load %row[%i, 6 - %j] : memref<5x7xf32>
      %b = affine.load %row[%i, 0] : memref<5x7xf32>
      %c = arith.subf %a, %b : f32
      affine.store %c, %out[%i, %j] : memref<5x7xf32>
    }
  }
  return
}
