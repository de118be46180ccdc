// Permissions and promises are taken off: fast-math and overflow flags, assertions, indices from data.
// RUN: %tepal opt %s --tepal-total | FileCheck %s
// RUN: %tepal opt %s --tepal-total --tepal-total | FileCheck %s
// RUN: %tepal run %s | FileCheck %s --check-prefix=VALUE

#map = affine_map<(d0) -> (d0)>
// CHECK-LABEL: @forward
// VALUE: gathered: 10 10 30 40 40
// CHECK-NOT: fastmath
// CHECK-NOT: overflow
// CHECK-NOT: cf.assert
// Operands come from functions, so that nothing is folded before the passes run.
func.func private @table() -> tensor<4xf32> {
  %c = arith.constant dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf32>
  return %c : tensor<4xf32>
}
func.func private @indices() -> tensor<5xi64> {
  %c = arith.constant dense<[-5, 0, 2, 3, 99]> : tensor<5xi64>
  return %c : tensor<5xi64>
}

func.func @forward() -> (tensor<5xf32> {tepal.name = "gathered"}) {
  %table = call @table() : () -> tensor<4xf32>
  %indices = call @indices() : () -> tensor<5xi64>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i64
  %empty = tensor.empty() : tensor<5xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%indices : tensor<5xi64>) outs(%empty : tensor<5xf32>) {
  ^bb0(%in: i64, %out: f32):
    %ok = arith.cmpi sge, %in, %c0 : i64
    cf.assert %ok, "an index is negative"
    %same = arith.addi %in, %c0 overflow<nsw> : i64
    // CHECK: %[[I:.*]] = arith.index_cast
    // CHECK: %[[L:.*]] = arith.maxsi %[[I]]
    // CHECK: %[[H:.*]] = arith.minsi %[[L]], %{{.*}} {tepal.total}
    // CHECK: tensor.extract %{{.*}}[%[[H]]]
    %i = arith.index_cast %same : i64 to index
    %e = tensor.extract %table[%i] : tensor<4xf32>
    %f = arith.addf %e, %zero fastmath<fast> : f32
    linalg.yield %f : f32
  } -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
