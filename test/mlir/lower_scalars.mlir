// Loops as Allo writes them: scalars in memory, indices through floats and odd widths of integers, bounds as
// conditions on floats. Nothing of that is left.
// RUN: %tepal opt %s --tepal-lower-to-affine -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: %tepal run %s --seed 11 -o %t.reference
// RUN: %tepal run %t.mlir --seed 11 -o %t.affine
// RUN: diff -r %t.reference %t.affine

// CHECK: affine_set<(d0, d1) : (d0 + d1 - 1 >= 0, -(d0 + d1 - 1) + 7 >= 0)>
// CHECK-NOT: i66
// CHECK-NOT: arith.{{cmpf|sitofp|fptoui}}
// CHECK-COUNT-1: memref.alloc() : memref<f32>
// CHECK-NOT: memref.alloc
// CHECK: affine.if #{{.*}}(%[[I:.*]], %[[K:.*]])
// CHECK: affine.load %{{.*}}[%[[I]] + %[[K]] - 1] : memref<8xf32>
func.func @forward(%x: memref<8xf32>, %w: memref<3xf32>) -> memref<8xf32> {
  %y = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %zero = arith.constant 0.0 : f32
    %sum = memref.alloc() : memref<f32>
    affine.store %zero, %sum[] : memref<f32>
    affine.for %k = 0 to 3 {
      %0 = arith.index_cast %i : index to i64
      %1 = arith.extsi %0 : i64 to i65
      %2 = arith.index_cast %k : index to i65
      %3 = arith.addi %1, %2 : i65
      %4 = arith.extsi %3 : i65 to i66
      %c1 = arith.constant 1 : i32
      %5 = arith.extsi %c1 : i32 to i66
      %6 = arith.subi %4, %5 : i66
      %7 = arith.sitofp %6 : i66 to f32
      %pos = memref.alloc() : memref<f32>
      affine.store %7, %pos[] : memref<f32>
      %8 = affine.load %pos[] : memref<f32>
      %c0 = arith.constant 0 : i32
      %9 = arith.sitofp %c0 : i32 to f32
      %10 = arith.cmpf oge, %8, %9 : f32
      %c8 = arith.constant 8 : i32
      %11 = arith.sitofp %c8 : i32 to f32
      %12 = arith.cmpf olt, %8, %11 : f32
      %13 = arith.andi %10, %12 : i1
      scf.if %13 {
        %14 = affine.load %pos[] : memref<f32>
        %15 = arith.fptoui %14 : f32 to i32
        %16 = arith.index_cast %15 : i32 to index
        %17 = memref.load %x[%16] : memref<8xf32>
        %18 = affine.load %w[%k] : memref<3xf32>
        %19 = arith.mulf %17, %18 : f32
        %20 = affine.load %sum[] : memref<f32>
        %21 = arith.addf %20, %19 : f32
        affine.store %21, %sum[] : memref<f32>
      }
    }
    %22 = affine.load %sum[] : memref<f32>
    affine.store %22, %y[%i] : memref<8xf32>
  }
  return %y : memref<8xf32>
}
