// Addresses that data decides.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// CHECK: load entries[%{{[0-9]+}}] : f32
// CHECK: store {{.*}}, histogram[%{{[0-9]+}}] : i32
func.func @forward(%ids: memref<9xi8> {tepal.name = "ids"},
                   %table: memref<8x3xf32> {tepal.name = "entries"},
                   %out: memref<9x3xf32> {tepal.name = "out", tepal.output},
                   %histogram: memref<8xi32> {tepal.name = "histogram", tepal.output}) {
  %seven = arith.constant 7 : i8
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i32
  affine.for %i = 0 to 8 {
    affine.store %none, %histogram[%i] : memref<8xi32>
  }
  affine.for %i = 0 to 9 {
    %id = affine.load %ids[%i] : memref<9xi8>
    %low = arith.andi %id, %seven : i8
    %index = arith.index_castui %low : i8 to index
    affine.for %j = 0 to 3 {
      %a = memref.load %table[%index, %j] : memref<8x3xf32>
      affine.store %a, %out[%i, %j] : memref<9x3xf32>
    }
    %n = memref.load %histogram[%index] : memref<8xi32>
    %m = arith.addi %n, %one : i32
    memref.store %m, %histogram[%index] : memref<8xi32>
  }
  return
}
