// Tensors that loops on data carry, permuted from turn to turn, and one that a counted loop multiplies by itself.
func.func @forward(%x: tensor<8xf32>, %y: tensor<8xf32>, %m: tensor<4x4xf32>, %n: tensor<2xi32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<4x4xf32>, tensor<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %float_zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %first = tensor.extract %n[%c0] : tensor<2xi32>
  %turns = arith.andi %first, %seven : i32
  %w:3 = scf.while (%i = %zero, %a = %x, %b = %y)
      : (i32, tensor<8xf32>, tensor<8xf32>) -> (i32, tensor<8xf32>, tensor<8xf32>) {
    %more = arith.cmpi slt, %i, %turns : i32
    scf.condition(%more) %i, %a, %b : i32, tensor<8xf32>, tensor<8xf32>
  } do {
  ^bb0(%i: i32, %a: tensor<8xf32>, %b: tensor<8xf32>):
    %next = arith.addi %i, %one : i32
    %k = arith.index_cast %i : i32 to index
    %v = tensor.extract %b[%k] : tensor<8xf32>
    %scaled = arith.mulf %v, %half : f32
    %changed = tensor.insert %scaled into %a[%c3] : tensor<8xf32>
    scf.yield %next, %b, %changed : i32, tensor<8xf32>, tensor<8xf32>
  }
  %second = tensor.extract %n[%c1] : tensor<2xi32>
  %power = arith.andi %second, %seven : i32
  %limit = arith.index_cast %power : i32 to index
  %p = scf.for %i = %c0 to %limit step %c1 iter_args(%t = %m) -> tensor<4x4xf32> {
    %empty = tensor.empty() : tensor<4x4xf32>
    %start = linalg.fill ins(%float_zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
    %product = linalg.matmul ins(%t, %m : tensor<4x4xf32>, tensor<4x4xf32>)
                             outs(%start : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %product : tensor<4x4xf32>
  }
  %count = tensor.from_elements %w#0 : tensor<i32>
  return %w#1, %w#2, %p, %count : tensor<8xf32>, tensor<8xf32>, tensor<4x4xf32>, tensor<i32>
}
