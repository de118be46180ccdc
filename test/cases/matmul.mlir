// The accumulator starts at zero for every element: a product of matrices of distinct primes, exact.
// RUN: %tepal build %s -o %t --check
// RUN: %tepal sim %t --simulator icarus --input %S/matmul.in0.npy %S/matmul.in1.npy --expect %S/matmul.out0.npy --rtol 0 --atol 0
// RUN: %tepal build %s -o %t --check --parallel 8
// RUN: %tepal sim %t --simulator icarus --runs 3 --input %S/matmul.in0.npy %S/matmul.in1.npy --expect %S/matmul.out0.npy --rtol 0 --atol 0
func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%start : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
