// A value that was loaded before a loop which overwrites its place goes through a memory of its own.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// CHECK: memory local {{[a-z_0-9]+}} : f32[1]
// CHECK-NOT: memory local
func.func @forward(%x: memref<4x5xf32> {tepal.name = "x"}, %k: memref<4xf32> {tepal.name = "k"},
                   %out: memref<4x5xf32> {tepal.name = "out", tepal.output},
                   %last: memref<4xf32> {tepal.name = "last", tepal.output}) {
  %two = arith.constant 2.0 : f32
  affine.for %i = 0 to 4 {
    %first = affine.load %x[%i, 0] : memref<4x5xf32>
    affine.store %first, %last[%i] : memref<4xf32>
    %before = affine.load %last[%i] : memref<4xf32>
    %double = arith.mulf %before, %two : f32
    %factor = affine.load %k[%i] : memref<4xf32>
    affine.for %j = 0 to 5 {
      %a = affine.load %x[%i, %j] : memref<4x5xf32>
      %b = arith.mulf %a, %factor : f32
      %c = arith.addf %b, %double : f32
      affine.store %c, %out[%i, %j] : memref<4x5xf32>
      affine.store %c, %last[%i] : memref<4xf32>
    }
  }
  return
}
