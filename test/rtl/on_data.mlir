// Control that depends on data in the state machine: a while in a loop, loops in both arms of an if, and an if in a
// while. Verilator has nothing to say, Icarus and Yosys take it, and it runs again with what the run before left.
// RUN: rm -rf %t.d && %tepal build %s -o %t.d --check >/dev/null && FileCheck %s <%t.d/on_data.sv
// RUN: cd %t.d && verilator --lint-only -Wall -f files.f
// RUN: %tepal sim %t.d --simulator icarus --runs 4 >/dev/null
// RUN: grep -q '"predicted_cycles": null' %t.d/sim.json
// RUN: grep -q '"cycles_exact": false' %t.d/report.json
// CHECK: module on_data (
// CHECK: logic {{cmpi[a-z_0-9]*}} = 1'b0;
// CHECK: // ---- control ----
// CHECK: always_ff @(posedge clk)
func.func @on_data(%n: memref<4xi32>, %x: memref<8xf32>, %y: memref<8xf32>, %count: memref<4xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %mask = arith.constant 15 : i32
  affine.for %k = 0 to 4 {
    %m = affine.load %n[%k] : memref<4xi32>
    %start = arith.andi %m, %mask : i32
    %r = scf.while (%p = %start) : (i32) -> i32 {
      %more = arith.cmpi sgt, %p, %zero : i32
      scf.condition(%more) %p : i32
    } do {
    ^bb0(%p: i32):
      %bit = arith.andi %p, %one : i32
      %odd = arith.cmpi eq, %bit, %one : i32
      scf.if %odd {
        affine.for %i = 0 to 8 {
          %a = affine.load %x[%i] : memref<8xf32>
          %b = affine.load %y[%i] : memref<8xf32>
          %c = arith.addf %a, %b : f32
          affine.store %c, %y[%i] : memref<8xf32>
        }
      } else {
        affine.for %i = 0 to 8 {
          %a = affine.load %y[7 - %i] : memref<8xf32>
          affine.store %a, %y[%i] : memref<8xf32>
        }
      }
      %q = arith.shrsi %p, %one : i32
      scf.yield %q : i32
    }
    %sum = arith.addi %r, %start : i32
    affine.store %sum, %count[%k] : memref<4xi32>
  }
  return
}
