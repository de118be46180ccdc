// Integers as bf16 are rounded once: ties that f32 or f64 in between would make, and both ends of the types.
// RUN: %tepal build %s -o %t --check && %tepal sim %t --simulator icarus --input %S/bf16_integers.in0.npy %S/bf16_integers.in1.npy --expect %S/bf16_integers.out?.npy
#map = affine_map<(d0) -> (d0)>
func.func @main(%a: tensor<8xi64>, %c: tensor<8xi32>) -> (tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>) {
  %e = tensor.empty() : tensor<8xbf16>
  %r:3 = linalg.generic {indexing_maps = [#map, #map, #map, #map, #map], iterator_types = ["parallel"]} ins(%a, %c : tensor<8xi64>, tensor<8xi32>) outs(%e, %e, %e : tensor<8xbf16>,tensor<8xbf16>,tensor<8xbf16>) {
  ^bb0(%x: i64, %z: i32, %o: bf16, %o2: bf16, %o3: bf16):
    %0 = arith.sitofp %x : i64 to bf16
    %1 = arith.uitofp %x : i64 to bf16
    %2 = arith.sitofp %z : i32 to bf16
    linalg.yield %0, %1, %2 : bf16, bf16, bf16
  } -> (tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>)
  return %r#0, %r#1, %r#2 : tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>
}
