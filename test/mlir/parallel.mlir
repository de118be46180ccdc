// Loops whose iterations may run at once, in scf and affine: one loop per dimension, in order; what they combine is carried.
// RUN: %tepal opt %s --tepal-parallel | FileCheck %s
// RUN: rm -rf %t && %tepal build %s -o %t --check --parallel 2 >/dev/null
// RUN: %tepal sim %t --simulator icarus --runs 2 >/dev/null
// CHECK: func.func @main
// CHECK-NOT: parallel
// CHECK: %[[ROWS:.*]] = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[ROW:.*]] = %{{.*}}) -> (f32)
// CHECK: %[[COLUMNS:.*]] = scf.for %[[J:.*]] = %{{.*}} iter_args(%[[SUM:.*]] = %[[ROW]]) -> (f32)
// CHECK: %[[X:.*]] = memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK: memref.store
// CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[X]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: scf.yield %[[COLUMNS]]
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: arith.constant 1 : i8
// CHECK: affine.for %[[I:.*]] = 1 to 4 iter_args
// CHECK: affine.for %[[J:.*]] = 0 to min
// CHECK: arith.maximumf
// CHECK: arith.muli
// CHECK: affine.yield %{{.*}}, %{{.*}} : f32, i8
func.func @main(%x: memref<4x6xf32> {tepal.name = "x"}, %n: memref<4x6xi8> {tepal.name = "n"},
                %y: memref<4x6xf32> {tepal.name = "y", tepal.output},
                %sum: memref<f32> {tepal.name = "sum", tepal.output},
                %max: memref<f32> {tepal.name = "max", tepal.output},
                %product: memref<i8> {tepal.name = "product", tepal.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.parallel (%i, %j) = (%c0, %c0) to (%c4, %c6) step (%c1, %c2) init (%zero) -> f32 {
    %a = memref.load %x[%i, %j] : memref<4x6xf32>
    %b = arith.mulf %a, %a : f32
    memref.store %b, %y[%i, %j] : memref<4x6xf32>
    scf.reduce(%a : f32) {
    ^bb0(%l: f32, %r: f32):
      %c = arith.addf %l, %r : f32
      scf.reduce.return %c : f32
    }
  }
  memref.store %s, %sum[] : memref<f32>
  %m:2 = affine.parallel (%i, %j) = (1, 0) to (4, min(6, 5)) reduce ("maximumf", "muli") -> (f32, i8) {
    %a = affine.load %x[%i, %j] : memref<4x6xf32>
    %b = affine.load %n[%i, %j] : memref<4x6xi8>
    affine.yield %a, %b : f32, i8
  }
  affine.store %m#0, %max[] : memref<f32>
  affine.store %m#1, %product[] : memref<i8>
  affine.parallel (%i) = (0) to (2) {
    affine.parallel (%j) = (0) to (3) step (2) {
      %a = affine.load %x[%i, %j] : memref<4x6xf32>
      affine.store %a, %y[%i + 2, %j + 1] : memref<4x6xf32>
    }
  }
  return
}
