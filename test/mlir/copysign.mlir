// The sign of a NaN, which differs between processor and hardware, is not seen.
// RUN: %tepal build %s -o %t --check
// RUN: %tepal sim %t --simulator icarus | FileCheck %s
// CHECK: all equal
func.func @main(%a: tensor<5xf32>, %b: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %zero = arith.subf %b, %b : tensor<5xf32>
  %nan = arith.divf %zero, %zero : tensor<5xf32>
  %0 = math.copysign %a, %nan : tensor<5xf32>
  %1 = math.copysign %a, %b : tensor<5xf32>
  return %0, %1 : tensor<5xf32>, tensor<5xf32>
}
