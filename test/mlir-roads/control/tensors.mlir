// What a condition on tensors becomes: one of two results of different work.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @forward(%p: tensor<i1>, %x: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %yes = tensor.extract %p[] : tensor<i1>
  %r = scf.if %yes -> (tensor<3x7xf32>) {
    %e = tensor.empty() : tensor<3x7xf32>
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<3x7xf32>) outs(%e : tensor<3x7xf32>) {
    ^bb0(%v: f32, %o: f32):
      %w = arith.mulf %v, %v : f32
      linalg.yield %w : f32
    } -> tensor<3x7xf32>
    scf.yield %s : tensor<3x7xf32>
  } else {
    %e = tensor.empty() : tensor<3x7xf32>
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<3x7xf32>) outs(%e : tensor<3x7xf32>) {
    ^bb0(%v: f32, %o: f32):
      %w = arith.negf %v : f32
      linalg.yield %w : f32
    } -> tensor<3x7xf32>
    scf.yield %s : tensor<3x7xf32>
  }
  return %r : tensor<3x7xf32>
}
