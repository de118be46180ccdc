// Indices that are extremes of affine forms, and their sum as a value.
// RUN: rm -rf %t && %tepal build %s -o %t --check >/dev/null && %tepal sim %t --simulator icarus --runs 3 | FileCheck %s
// CHECK: all equal
func.func @extremes(%x: memref<8xf32>, %y: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %m = affine.max affine_map<(d0) -> (d0 - 2, 0)>(%i)
    %k = affine.min affine_map<(d0) -> (d0 + 1, 7)>(%i)
    %a = memref.load %x[%m] : memref<8xf32>
    %b = memref.load %x[%k] : memref<8xf32>
    %c = arith.addf %a, %b : f32
    %s = arith.addi %m, %k : index
    %w = arith.index_cast %s : index to i32
    %d = arith.sitofp %w : i32 to f32
    %e = arith.addf %c, %d : f32
    affine.store %e, %y[%i] : memref<8xf32>
  }
  return
}
