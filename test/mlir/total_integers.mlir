// Integer operations that MLIR leaves undefined have the results of docs/numerics.md, in the
// reference of both stages.
// RUN: %tepal run %s | FileCheck %s
// RUN: %tepal opt %s --tepal-lower-to-affine -o %t.mlir
// RUN: %tepal run %t.mlir | FileCheck %s

#map = affine_map<(d0) -> (d0)>
// Operands come from functions, so that nothing is folded before the passes run.
func.func private @a() -> tensor<8xi32> {
  %c = arith.constant dense<[7, -7, 7, -7, -2147483648, -2147483648, 5, 0]> : tensor<8xi32>
  return %c : tensor<8xi32>
}
func.func private @b() -> tensor<8xi32> {
  %c = arith.constant dense<[2, 2, -2, -2, -1, 0, 0, 0]> : tensor<8xi32>
  return %c : tensor<8xi32>
}
func.func private @x() -> tensor<8xi8> {
  %c = arith.constant dense<[1, 3, -1, -1, -128, 64, 127, -3]> : tensor<8xi8>
  return %c : tensor<8xi8>
}
func.func private @n() -> tensor<8xi8> {
  %c = arith.constant dense<[7, 1, 8, 3, 100, -1, 0, 9]> : tensor<8xi8>
  return %c : tensor<8xi8>
}

func.func @forward() -> (tensor<8xi32> {tepal.name = "divsi"}, tensor<8xi32> {tepal.name = "remsi"},
                         tensor<8xi32> {tepal.name = "divui", tepal.type = "unsigned"},
                         tensor<8xi32> {tepal.name = "remui", tepal.type = "unsigned"},
                         tensor<8xi32> {tepal.name = "floordivsi"},
                         tensor<8xi32> {tepal.name = "ceildivsi"},
                         tensor<8xi32> {tepal.name = "ceildivui", tepal.type = "unsigned"},
                         tensor<8xi8> {tepal.name = "shli"}, tensor<8xi8> {tepal.name = "shrsi"},
                         tensor<8xi8> {tepal.name = "shrui"}) {
  %a = call @a() : () -> tensor<8xi32>
  %b = call @b() : () -> tensor<8xi32>
  %x = call @x() : () -> tensor<8xi8>
  %n = call @n() : () -> tensor<8xi8>
  // CHECK: divsi: 3 -3 -3 3 -2147483648 -1 -1 -1 (8 elements)
  %divsi = arith.divsi %a, %b : tensor<8xi32>
  // CHECK: remsi: 1 -1 1 -1 0 -2147483648 5 0 (8 elements)
  %remsi = arith.remsi %a, %b : tensor<8xi32>
  // CHECK: divui: 3 2147483644 0 0 0 4294967295 4294967295 4294967295
  %divui = arith.divui %a, %b : tensor<8xi32>
  // CHECK: remui: 1 1 7 4294967289 2147483648 2147483648 5 0
  %remui = arith.remui %a, %b : tensor<8xi32>
  // CHECK: floordivsi: 3 -4 -4 3 -2147483648 -1 -1 -1
  %floordivsi = arith.floordivsi %a, %b : tensor<8xi32>
  // CHECK: ceildivsi: 4 -3 -3 4 -2147483648 -1 -1 -1
  %ceildivsi = arith.ceildivsi %a, %b : tensor<8xi32>
  // CHECK: ceildivui: 4 2147483645 1 1 1 4294967295 4294967295 4294967295
  %ceildivui = arith.ceildivui %a, %b : tensor<8xi32>
  // CHECK: shli: -128 6 0 -8 0 0 127 0
  %shli = arith.shli %x, %n : tensor<8xi8>
  // CHECK: shrsi: 0 1 -1 -1 -1 0 127 -1
  %shrsi = arith.shrsi %x, %n : tensor<8xi8>
  // CHECK: shrui: 0 1 0 31 0 0 127 0
  %shrui = arith.shrui %x, %n : tensor<8xi8>
  return %divsi, %remsi, %divui, %remui, %floordivsi, %ceildivsi, %ceildivui, %shli, %shrsi, %shrui
      : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>,
        tensor<8xi32>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>
}
