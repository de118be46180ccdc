// SystemVerilog for people: names from the model, a section for each nest that says what it is, one-hot states with the
// nests' names, no generated noise. Verilator must have nothing to say.
// RUN: rm -rf %t.d && %tepal build %s -o %t.d >/dev/null && FileCheck %s <%t.d/systemverilog.sv
// RUN: cd %t.d && verilator --lint-only -Wall -f files.f
// CHECK: `default_nettype none
// CHECK: module systemverilog (
// CHECK-NEXT: input wire clk,
// CHECK-NEXT: input wire reset,
// CHECK-NEXT: input wire go,
// CHECK-NEXT: output wire done,
// CHECK-NEXT: input wire [{{[0-9]+}}:0] in0_addr,
// CHECK: output wire [31:0] out0_read_data
// CHECK: // ---- control ----
// CHECK: logic busy = 1'b0;
// CHECK: // ---- shared units and memories ----
// CHECK: // ---- [[NEST:[a-z0-9_]+]]: {{.*}}II 1, depth {{[0-9]+}} ----
// CHECK: // ---- control ----
// CHECK: assign start = go & ~(busy | finished);
// CHECK: always_ff @(posedge clk) begin
// CHECK: [[NEST]] <= [[NEST]]_start;
// CHECK: if (reset) begin
// CHECK: tepal_memory #({{.*}}) in0 (
// CHECK-NEXT: .clk(clk),
// CHECK-NEXT: .read_enable(
// CHECK: // ---- [[NEST]]:
// CHECK: tepal_float_add #(.WIDTH(32), .EXPONENT(8), .LATENCY({{[0-9]+}})) {{[a-z0-9_]+}} (
// CHECK: endmodule
module {
  func.func @main(%a: tensor<40xf32>, %b: tensor<40xf32>) -> tensor<40xf32> {
    %empty = tensor.empty() : tensor<40xf32>
    %sum = linalg.add ins(%a, %b : tensor<40xf32>, tensor<40xf32>) outs(%empty : tensor<40xf32>) -> tensor<40xf32>
    return %sum : tensor<40xf32>
  }
}
