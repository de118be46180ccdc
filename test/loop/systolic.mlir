// Processing elements of a systolic array as loops: each hands its operand on to the next one, which waits for the memory
// only, and adds to a sum of its own, which waits for the adder. So the elements go inside the sums.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// CHECK: nest {{[a-z_0-9]+}} (j 16, i 4) {
// CHECK: schedule of {{[a-z_0-9]+}}: II 3,
// CHECK: recurrence through copy
func.func @forward(%x: memref<16xf32> {tepal.name = "x"}, %w: memref<4x16xf32> {tepal.name = "w"},
                   %y: memref<4xf32> {tepal.name = "y", tepal.output}) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<5x16xf32>
  %sum = memref.alloc() : memref<1xf32>
  affine.for %k = 0 to 16 {
    %v = affine.load %x[%k] : memref<16xf32>
    affine.store %v, %a[0, %k] : memref<5x16xf32>
  }
  affine.for %i = 0 to 4 {
    affine.store %zero, %sum[0] : memref<1xf32>
    affine.for %k = 0 to 16 {
      %v = affine.load %a[%i, %k] : memref<5x16xf32>
      %b = affine.load %w[%i, %k] : memref<4x16xf32>
      %c = arith.mulf %v, %b : f32
      %s = affine.load %sum[0] : memref<1xf32>
      %t = arith.addf %s, %c : f32
      affine.store %t, %sum[0] : memref<1xf32>
      affine.store %v, %a[%i + 1, %k] : memref<5x16xf32>
    }
    %r = affine.load %sum[0] : memref<1xf32>
    affine.store %r, %y[%i] : memref<4xf32>
  }
  return
}
