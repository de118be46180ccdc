// A sum that starts with what fresh memory holds is filled with zeros, so that a second run gives the same.
// A fill that is overwritten before anyone reads it goes away.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s
// RUN: %tepal build %s -o %t && %tepal sim %t --runs 2

// CHECK-NOT:  constant 7
// CHECK:      nest
// CHECK:      load sum{{.*}} if
func.func @forward(%x: memref<4x9xf32> {tepal.name = "x"},
                   %sum: memref<9xf32> {tepal.name = "sum", tepal.output},
                   %copy: memref<9xf32> {tepal.name = "copy", tepal.output}) {
  %seven = arith.constant 7.0 : f32
  affine.for %j = 0 to 9 {
    affine.store %seven, %copy[%j] : memref<9xf32>
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 9 {
      %a = affine.load %x[%i, %j] : memref<4x9xf32>
      %b = affine.load %sum[%j] : memref<9xf32>
      %c = arith.addf %a, %b : f32
      affine.store %c, %sum[%j] : memref<9xf32>
    }
  }
  affine.for %j = 0 to 9 {
    %a = affine.load %sum[%j] : memref<9xf32>
    affine.store %a, %copy[%j] : memref<9xf32>
  }
  return
}
