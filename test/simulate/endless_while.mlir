// A while that never ends: sim gives up after --max-cycles and has no prediction to show; the table says why.
// RUN: rm -rf %t && %tepal build %s -o %t | FileCheck %s --check-prefix=TABLE
// RUN: exits 1 %tepal sim %t --simulator icarus --max-cycles 2000 2>&1 | FileCheck %s
// TABLE: cycles   depend on data: {{[0-9]+}} = {{.*}} with one turn of each loop on it
// CHECK: error: run 1 was given up after 2001 cycles without done
// CHECK-NEXT: the limit is 2000, see --max-cycles
func.func @endless(%n: memref<1xi32>, %out: memref<1xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %start = affine.load %n[0] : memref<1xi32>
  %odd = arith.ori %start, %one : i32
  %r = scf.while (%p = %odd) : (i32) -> i32 {
    %more = arith.cmpi ne, %p, %zero : i32
    scf.condition(%more) %p : i32
  } do {
  ^bb0(%p: i32):
    %q = arith.addi %p, %two : i32
    scf.yield %q : i32
  }
  affine.store %r, %out[0] : memref<1xi32>
  return
}
