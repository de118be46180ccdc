// A transpose and a broadcast are no nest of their own: their reader reads through them.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// CHECK-NOT:  memory local
// CHECK:      nest {{[a-z_0-9]+}} (i 4, j 3) {
// CHECK-DAG:  load x[i + 4*j] : f32
// CHECK-DAG:  load b[j] : f32
// CHECK:      store {{.*}}, y[3*i + j] : f32
// CHECK-NOT:  nest
func.func @forward(%x: memref<3x4xf32> {tepal.name = "x"}, %b: memref<3xf32> {tepal.name = "b"},
                   %y: memref<4x3xf32> {tepal.name = "y", tepal.output}) {
  %t = memref.alloc() : memref<4x3xf32>
  %w = memref.alloc() : memref<4x3xf32>
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 4 {
      %a = affine.load %x[%i, %j] : memref<3x4xf32>
      affine.store %a, %t[%j, %i] : memref<4x3xf32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 3 {
      %a = affine.load %b[%j] : memref<3xf32>
      affine.store %a, %w[%i, %j] : memref<4x3xf32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 3 {
      %a = affine.load %t[%i, %j] : memref<4x3xf32>
      %c = affine.load %w[%i, %j] : memref<4x3xf32>
      %d = arith.addf %a, %c : f32
      affine.store %d, %y[%i, %j] : memref<4x3xf32>
    }
  }
  return
}
