// linalg.softmax along either dimension, on tensors; largest, infinite and NaN elements.
// RUN: %tepal run %s | FileCheck %s
// RUN: %tepal opt %s --tepal-lower-to-affine -o %t.mlir
// RUN: %tepal run %t.mlir | FileCheck %s

func.func private @x() -> tensor<4x3xf32> {
  %c = arith.constant dense<[[100.0, 101.0, 102.0], [-100.0, -100.0, -100.0], [0xFF800000, 0.0, 0.0], [0x7FC00000, 1.0, 2.0]]> : tensor<4x3xf32>
  return %c : tensor<4x3xf32>
}
// CHECK: out0: 0.0900305{{[0-9]+}} 0.244728{{[0-9]+}} 0.665240{{[0-9]+}} 0.333333{{[0-9]+}} 0.333333{{[0-9]+}} 0.333333{{[0-9]+}} 0 0.5 0.5 nan({{.*}}) nan({{.*}}) nan(
// CHECK: out1: nan({{.*}}) 1 1 nan({{.*}}) 0 0 nan({{.*}}) {{[0-9.e-]+ [0-9.e-]+}} nan({{.*}}) {{[0-9.e-]+}}
func.func @forward() -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %x = call @x() : () -> tensor<4x3xf32>
  %empty = tensor.empty() : tensor<4x3xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x3xf32>) outs(%empty : tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = linalg.softmax dimension(0) ins(%x : tensor<4x3xf32>) outs(%empty : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<4x3xf32>
}
