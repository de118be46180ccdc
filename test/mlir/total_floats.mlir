// Float operations whose result MLIR leaves undefined or open: conversions to integers saturate, NaN gives 0;
// maxnumf and minnumf choose an operand by comparison; maximumf and minimumf order the zeros.
// RUN: %tepal run %s | FileCheck %s
// RUN: %tepal opt %s --tepal-lower-to-affine -o %t.mlir
// RUN: %tepal run %t.mlir | FileCheck %s

// Operands come from functions, so that nothing is folded before the passes run.
func.func private @x() -> tensor<10xf32> {
  %c = arith.constant dense<[1.5, -1.5, 2147483648.0, -2147483648.0, 1.0e20, -1.0e20, 0x7F800000,
                             0xFF800000, 0x7FC00000, 127.9]> : tensor<10xf32>
  return %c : tensor<10xf32>
}
func.func private @h() -> tensor<4xf16> {
  %c = arith.constant dense<[65504.0, -65504.0, 0x7C00, 0xFC00]> : tensor<4xf16>
  return %c : tensor<4xf16>
}
func.func private @a() -> tensor<8xf32> {
  %c = arith.constant dense<[1.0, 0x7FC00000, 2.0, 0x7FC00000, 0.0, -0.0, 3.0, -0.0]> : tensor<8xf32>
  return %c : tensor<8xf32>
}
func.func private @b() -> tensor<8xf32> {
  %c = arith.constant dense<[2.0, 1.0, 0x7FC00000, 0x7FC00000, -0.0, 0.0, 0xFF800000, -0.0]> : tensor<8xf32>
  return %c : tensor<8xf32>
}

func.func @forward() -> (tensor<10xi32> {tepal.name = "si32"},
                         tensor<10xi32> {tepal.name = "ui32", tepal.type = "unsigned"},
                         tensor<10xi8> {tepal.name = "si8"},
                         tensor<10xi8> {tepal.name = "ui8", tepal.type = "unsigned"},
                         tensor<10xi64> {tepal.name = "si64"}, tensor<10xi1> {tepal.name = "ui1"},
                         tensor<4xi32> {tepal.name = "half"},
                         tensor<8xf32> {tepal.name = "maxnumf"},
                         tensor<8xf32> {tepal.name = "minnumf"},
                         tensor<8xf32> {tepal.name = "maximumf"},
                         tensor<8xf32> {tepal.name = "minimumf"}) {
  // 1.5, -1.5, 2147483648, -2147483648, 1e20, -1e20, infinity, -infinity, NaN, 127.9
  %x = call @x() : () -> tensor<10xf32>
  // CHECK: si32: 1 -1 2147483647 -2147483648 2147483647 -2147483648 2147483647 -2147483648 0 127
  %si32 = arith.fptosi %x : tensor<10xf32> to tensor<10xi32>
  // CHECK: ui32: 1 0 2147483648 0 4294967295 0 4294967295 0 0 127
  %ui32 = arith.fptoui %x : tensor<10xf32> to tensor<10xi32>
  // CHECK: si8: 1 -1 127 -128 127 -128 127 -128 0 127
  %si8 = arith.fptosi %x : tensor<10xf32> to tensor<10xi8>
  // CHECK: ui8: 1 0 255 0 255 0 255 0 0 127
  %ui8 = arith.fptoui %x : tensor<10xf32> to tensor<10xi8>
  // CHECK: si64: 1 -1 2147483648 -2147483648 9223372036854775807 -9223372036854775808 9223372036854775807 -9223372036854775808 0 127
  %si64 = arith.fptosi %x : tensor<10xf32> to tensor<10xi64>
  // CHECK: ui1: 1 0 1 0 1 0 1 0 0 1
  %ui1 = arith.fptoui %x : tensor<10xf32> to tensor<10xi1>
  // The limits of i32 are no numbers of f16.
  %h = call @h() : () -> tensor<4xf16>
  // CHECK: half: 65504 -65504 2147483647 -2147483648
  %half = arith.fptosi %h : tensor<4xf16> to tensor<4xi32>

  %a = call @a() : () -> tensor<8xf32>
  %b = call @b() : () -> tensor<8xf32>
  // CHECK: maxnumf: 2 1 2 nan({{.*}}) -0 0 3 -0
  %maxnumf = arith.maxnumf %a, %b : tensor<8xf32>
  // CHECK: minnumf: 1 1 2 nan({{.*}}) -0 0 -inf -0
  %minnumf = arith.minnumf %a, %b : tensor<8xf32>
  // CHECK: maximumf: 2 nan({{.*}}) nan({{.*}}) nan({{.*}}) 0 0 3 -0
  %maximumf = arith.maximumf %a, %b : tensor<8xf32>
  // CHECK: minimumf: 1 nan({{.*}}) nan({{.*}}) nan({{.*}}) -0 -0 -inf -0
  %minimumf = arith.minimumf %a, %b : tensor<8xf32>
  return %si32, %ui32, %si8, %ui8, %si64, %ui1, %half, %maxnumf, %minnumf, %maximumf, %minimumf
      : tensor<10xi32>, tensor<10xi32>, tensor<10xi8>, tensor<10xi8>, tensor<10xi64>, tensor<10xi1>,
        tensor<4xi32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
