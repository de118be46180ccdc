// Yosys fails on a port that a signed operation is connected to: it has a wire of its own.
// RUN: rm -rf %t && %tepal build %s -o %t
// RUN: FileCheck %s --input-file=%t/signed_port.sv
// RUN: cd %t && yosys -q -p "read_verilog -sv $(tr '\n' ' ' <files.f); hierarchy -check -top signed_port; proc; check -assert"

// CHECK: assign [[WIRE:.*]] = $unsigned($signed({{.*}}) >>> 32'd2);
// CHECK-NOT: .write_data({{.*}}signed
func.func @main(%x: memref<8xi32> {tepal.name = "x"}, %out: memref<8xi32> {tepal.name = "out", tepal.output}) {
  %two = arith.constant 2 : i32
  affine.for %i = 0 to 8 {
    %a = affine.load %x[%i] : memref<8xi32>
    %b = arith.shrsi %a, %two : i32
    affine.store %b, %out[%i] : memref<8xi32>
  }
  return
}
