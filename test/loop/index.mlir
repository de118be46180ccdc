// Index values as data: casts, minima and maxima, division, compares; each has the width that its range needs.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// CHECK-NOT: : i64
// CHECK: nest
func.func @forward(%out: memref<12xi32> {tepal.name = "out", tepal.output},
                   %seen: memref<12xi32> {tepal.name = "seen", tepal.output}) {
  %c5 = arith.constant 5 : index
  %c3 = arith.constant 3 : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  affine.for %i = 0 to 12 {
    %q = arith.divui %i, %c5 : index
    %r = arith.remui %i, %c3 : index
    %s = arith.muli %q, %r : index
    %k = affine.apply affine_map<(i) -> (11 - i)>(%i)
    %m = arith.minsi %i, %k : index
    %n = arith.maxsi %s, %m : index
    %d = arith.subi %n, %c5 : index
    %v = arith.index_cast %d : index to i32
    affine.store %v, %out[%i] : memref<12xi32>
    %less = arith.cmpi slt, %d, %r : index
    %large = arith.cmpi uge, %i, %c5 : index
    %both = arith.andi %less, %large : i1
    %w = arith.select %both, %c1, %c0 : i32
    affine.store %w, %seen[%i] : memref<12xi32>
  }
  return
}
