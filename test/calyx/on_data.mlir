// Control that depends on data in Calyx: conditions are registers; a while runs what computes its condition before
// its first test and at the end of each turn; branches that are empty are left out, and an if that has only an else
// tests the negation, as the Calyx compiler takes no if without a first branch.
// RUN: rm -rf %t.d && %tepal build %s -o %t.d --emit calyx=%t.futil calyx-mlir=%t.mlir >/dev/null
// RUN: FileCheck %s <%t.futil && FileCheck %s --check-prefix=MLIR <%t.mlir
// CHECK-DAG: [[HOLDS:cmpi[a-z_0-9]*]] = std_reg(1);
// CHECK-DAG: [[FAILS:[a-z_0-9]+]]_fails = std_reg(1);
// CHECK: static<1> group negate_[[FAILS]] {
// CHECK-DAG: [[FAILS]]_not.in = [[FAILS]].out;
// CHECK-DAG: [[FAILS]]_fails.in = [[FAILS]]_not.out;
// CHECK: control {
// CHECK: [[TEST:cmpi[a-z_0-9]*]]_start;
// CHECK: {{^ *}}[[TEST]];
// CHECK: while {{cmpi[a-z_0-9]*}}.out {
// CHECK-NEXT: seq {
// CHECK: {{^ *}}[[TEST]];
// CHECK: {{^ *}}negate_[[FAILS]];
// CHECK-NEXT: if [[FAILS]]_fails.out {
// CHECK-NOT: else
// MLIR: calyx.while %{{.*}}.out {
// MLIR: calyx.enable @negate_
// MLIR: calyx.if %{{.*}}_fails.out {
func.func @on_data(%n: memref<1xi32> {tepal.name = "n"}, %x: memref<8xf32> {tepal.name = "x"},
                   %y: memref<8xf32> {tepal.name = "y", tepal.output},
                   %last: memref<1xi32> {tepal.name = "last", tepal.output}) {
  %seven = arith.constant 7 : i32
  %m = affine.load %n[0] : memref<1xi32>
  %r = scf.while (%p = %m) : (i32) -> i32 {
    %big = arith.cmpi sgt, %p, %seven : i32
    scf.condition(%big) %p : i32
  } do {
  ^bb0(%p: i32):
    %q = arith.subi %p, %seven : i32
    scf.yield %q : i32
  }
  affine.store %r, %last[0] : memref<1xi32>
  %even = arith.cmpi eq, %r, %seven : i32
  scf.if %even {
  } else {
    affine.for %i = 0 to 8 {
      %a = affine.load %x[%i] : memref<8xf32>
      affine.store %a, %y[%i] : memref<8xf32>
    }
  }
  return
}
