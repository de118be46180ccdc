// The Calyx program in CIRCT's calyx dialect.
// RUN: rm -rf %t.d && %tepal build %s -o %t.d --emit calyx-mlir=%t.mlir >/dev/null && FileCheck %s <%t.mlir
// CHECK: module attributes {calyx.entrypoint = "dialect"} {
// CHECK: hw.module.extern @tepal_float_add<WIDTH: i32, EXPONENT: i32, LATENCY: i32>(in %clk : i1 {calyx.clk},
// CHECK-SAME: attributes {filename = "hardware/float_add.sv"}
// CHECK: calyx.component @dialect(%clk: i1 {clk}, %reset: i1 {reset}, %go: i1 {go}) -> (%done: i1 {done}) {
// CHECK: %in0.clk, {{.*}} = calyx.primitive @in0 of @tepal_memory<WIDTH: i32 = 32, DEPTH: i32 = 40,
// CHECK-SAME: {external = true} :
// CHECK: = calyx.register @
// CHECK: = calyx.std_add @
// CHECK: calyx.wires {
// CHECK: calyx.static_group latency<1> @[[NEST:[a-z0-9_]+]]_start {
// CHECK: calyx.static_group latency<1> @[[NEST]] {
// CHECK: calyx.assign %in0.read_enable = %{{.*}} ? %c1_i1 : i1
// CHECK: calyx.control {
// CHECK-NEXT: calyx.static_seq {
// CHECK: calyx.enable @[[NEST]]_start
// CHECK-NEXT: calyx.static_repeat {{[0-9]+}} {
// CHECK-NEXT: calyx.enable @[[NEST]]
// CHECK: } {toplevel}
module {
  func.func @main(%a: tensor<40xf32>, %b: tensor<40xf32>) -> tensor<40xf32> {
    %empty = tensor.empty() : tensor<40xf32>
    %sum = linalg.add ins(%a, %b : tensor<40xf32>, tensor<40xf32>) outs(%empty : tensor<40xf32>) -> tensor<40xf32>
    return %sum : tensor<40xf32>
  }
}
