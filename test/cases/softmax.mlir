// Softmax of large, small, equal, infinite and undefined values. Two infinities give NaN, as they do in PyTorch.
// RUN: %tepal build %s -o %t --check --parallel 4
// RUN: %tepal sim %t --simulator icarus --input %S/softmax.in0.npy --expect %S/softmax.out0.npy
func.func @main(%x: tensor<10x3xf32>) -> tensor<10x3xf32> {
  %empty = tensor.empty() : tensor<10x3xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<10x3xf32>) outs(%empty : tensor<10x3xf32>) -> tensor<10x3xf32>
  return %y : tensor<10x3xf32>
}
