// Branches become predicates and selections: affine and by data, nested, with results and with loops inside.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// CHECK-LABEL: program if
// CHECK: store {{.*}} if
func.func @forward(%x: memref<6x8xf32> {tepal.name = "x"}, %n: memref<6xi32> {tepal.name = "n"},
                   %out: memref<6x8xf32> {tepal.name = "out", tepal.output},
                   %count: memref<6xi32> {tepal.name = "count", tepal.output}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i32
  affine.for %i = 0 to 6 {
    affine.store %none, %count[%i] : memref<6xi32>
    affine.for %j = 0 to 8 {
      affine.store %zero, %out[%i, %j] : memref<6x8xf32>
    }
  }
  affine.for %i = 0 to 6 {
    %m = affine.load %n[%i] : memref<6xi32>
    %odd = arith.cmpi sgt, %m, %none : i32
    scf.if %odd {
      affine.for %j = 0 to 8 {
        %a = affine.load %x[%i, %j] : memref<6x8xf32>
        affine.if affine_set<(i, j) : (i + j - 3 >= 0, 9 - i - j >= 0)>(%i, %j) {
          %negative = arith.cmpf olt, %a, %zero : f32
          %r = scf.if %negative -> f32 {
            %c = affine.load %count[%i] : memref<6xi32>
            %d = arith.addi %c, %one : i32
            affine.store %d, %count[%i] : memref<6xi32>
            %b = arith.negf %a : f32
            scf.yield %b : f32
          } else {
            %b = arith.mulf %a, %a : f32
            scf.yield %b : f32
          }
          affine.store %r, %out[%i, %j] : memref<6x8xf32>
        } else {
          affine.if affine_set<(j) : (j == 0)>(%j) {
            affine.store %a, %out[%i, %j] : memref<6x8xf32>
          }
        }
      }
    } else {
      affine.store %m, %count[%i] : memref<6xi32>
    }
  }
  return
}
