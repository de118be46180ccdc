// Outputs that a run may leave unwritten are zero, whatever the run before left there; those that one of two branches
// writes in any case are not filled.
// RUN: rm -rf %t && %tepal build %s -o %t --check --emit=loops | FileCheck %s
// RUN: %tepal sim %t --simulator icarus --runs 6 >/dev/null
// CHECK-NOT: zero_{{all|arms}}
// CHECK: nest zero_some (i 8)
// CHECK: store %0, some[i]
// CHECK-NOT: zero_{{all|arms}}
func.func @outputs(%n: memref<1xi32> {tepal.name = "n"}, %x: memref<8xf32> {tepal.name = "x"},
                   %some: memref<8xf32> {tepal.name = "some", tepal.output},
                   %all: memref<8xf32> {tepal.name = "all", tepal.output},
                   %arms: memref<8xf32> {tepal.name = "arms", tepal.output}) {
  %zero = arith.constant 0 : i32
  %number = affine.load %n[0] : memref<1xi32>
  %above = arith.cmpi sgt, %number, %zero : i32
  affine.for %i = 0 to 8 {
    %v = affine.load %x[%i] : memref<8xf32>
    affine.store %v, %all[7 - %i] : memref<8xf32>
    scf.if %above {
      affine.store %v, %some[%i] : memref<8xf32>
    }
  }
  scf.if %above {
    affine.for %i = 0 to 8 {
      %v = affine.load %x[%i] : memref<8xf32>
      affine.store %v, %arms[%i] : memref<8xf32>
    }
  } else {
    affine.for %i = 0 to 8 {
      %v = affine.load %x[%i] : memref<8xf32>
      %w = arith.addf %v, %v : f32
      affine.store %w, %arms[%i] : memref<8xf32>
    }
  }
  return
}
