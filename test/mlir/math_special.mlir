// The library of functions at special values.
// RUN: %tepal run %s | FileCheck %s
// RUN: %tepal opt %s --tepal-lower-to-affine | FileCheck %s --check-prefix=AFFINE

// AFFINE-NOT: {{ math.(exp|log|rsqrt|tanh|erf|sin|cos|floor|ceil|round|trunc|pow)|arith.remf|func.call}}
// Operands come from functions, so that nothing is folded before the passes run.
func.func private @x() -> tensor<9xf32> {
  %c = arith.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 2.5, -2.5]> : tensor<9xf32>
  return %c : tensor<9xf32>
}
func.func private @a() -> tensor<8xf32> {
  %c = arith.constant dense<[2.0, -2.0, -2.0, 0.0, -0.0, 1.0, 0xFF800000, 0x7FC00000]> : tensor<8xf32>
  return %c : tensor<8xf32>
}
func.func private @b() -> tensor<8xf32> {
  %c = arith.constant dense<[10.0, 3.0, 0.5, -1.0, -3.0, 0x7FC00000, 3.0, 0.0]> : tensor<8xf32>
  return %c : tensor<8xf32>
}
func.func private @c() -> tensor<8xf32> {
  %c = arith.constant dense<[7.5, -7.5, 1.0e30, 3.0, 0x7F800000, 5.0, -0.0, 1.0]> : tensor<8xf32>
  return %c : tensor<8xf32>
}
func.func private @d() -> tensor<8xf32> {
  %c = arith.constant dense<[2.0, 2.0, 3.0, 0x7F800000, 2.0, 0.0, 1.0, 0x7FC00000]> : tensor<8xf32>
  return %c : tensor<8xf32>
}
func.func private @h() -> tensor<4xf16> {
  %c = arith.constant dense<[1.0, -1.0, 11.0, 12.0]> : tensor<4xf16>
  return %c : tensor<4xf16>
}

func.func @forward() -> (tensor<9xf32> {tepal.name = "exp"}, tensor<9xf32> {tepal.name = "log"},
                         tensor<9xf32> {tepal.name = "rsqrt"}, tensor<9xf32> {tepal.name = "tanh"},
                         tensor<9xf32> {tepal.name = "erf"}, tensor<9xf32> {tepal.name = "expm1"},
                         tensor<9xf32> {tepal.name = "log1p"}, tensor<9xf32> {tepal.name = "sin"},
                         tensor<9xf32> {tepal.name = "cos"}, tensor<9xf32> {tepal.name = "floor"},
                         tensor<9xf32> {tepal.name = "ceil"}, tensor<9xf32> {tepal.name = "round"},
                         tensor<9xf32> {tepal.name = "roundeven"},
                         tensor<9xf32> {tepal.name = "trunc"}, tensor<9xf32> {tepal.name = "square"},
                         tensor<9xf32> {tepal.name = "root"}, tensor<8xf32> {tepal.name = "powf"},
                         tensor<8xf32> {tepal.name = "remf"}, tensor<4xf16> {tepal.name = "half"}) {
  %x = call @x() : () -> tensor<9xf32>
  // CHECK: exp: 1 1 2.7182817 0.36787945 inf 0 nan({{.*}}) 12.182494 0.082085
  %exp = math.exp %x : tensor<9xf32>
  // CHECK: log: -inf -inf 0 nan({{.*}}) inf nan({{.*}}) nan({{.*}}) 0.91629{{[0-9]+}} nan(
  %log = math.log %x : tensor<9xf32>
  // CHECK: rsqrt: inf -inf 1 nan({{.*}}) 0 nan({{.*}}) nan({{.*}}) 0.6324555 nan(
  %rsqrt = math.rsqrt %x : tensor<9xf32>
  // CHECK: tanh: 0 -0 0.7615942 -0.7615942 1 -1 nan({{.*}}) 0.9866143 -0.9866143
  %tanh = math.tanh %x : tensor<9xf32>
  // CHECK: erf: 0 -0 0.842700{{[0-9]+}} -0.842700{{[0-9]+}} 1 -1 nan({{.*}}) 0.99959{{[0-9]+}} -0.99959
  %erf = math.erf %x : tensor<9xf32>
  // CHECK: expm1: 0 -0 1.7182819 -0.63212055 inf -1 nan({{.*}}) 11.182494 -0.917915
  %expm1 = math.expm1 %x : tensor<9xf32>
  // CHECK: log1p: 0 -0 0.6931472 -inf inf nan({{.*}}) nan({{.*}}) 1.25276{{[0-9]+}} nan(
  %log1p = math.log1p %x : tensor<9xf32>
  // CHECK: sin: 0 -0 0.84147096 -0.84147096 nan({{.*}}) nan({{.*}}) nan({{.*}}) 0.59847{{.*}} -0.59847
  %sin = math.sin %x : tensor<9xf32>
  // CHECK: cos: 1 1 0.5403023 0.5403023 nan({{.*}}) nan({{.*}}) nan({{.*}}) -0.80114{{.*}} -0.80114
  %cos = math.cos %x : tensor<9xf32>
  // CHECK: floor: 0 -0 1 -1 inf -inf nan({{.*}}) 2 -3
  %floor = math.floor %x : tensor<9xf32>
  // CHECK: ceil: 0 -0 1 -1 inf -inf nan({{.*}}) 3 -2
  %ceil = math.ceil %x : tensor<9xf32>
  // CHECK: round: 0 -0 1 -1 inf -inf nan({{.*}}) 3 -3
  %round = math.round %x : tensor<9xf32>
  // CHECK: roundeven: 0 -0 1 -1 inf -inf nan({{.*}}) 2 -2
  %roundeven = math.roundeven %x : tensor<9xf32>
  // CHECK: trunc: 0 -0 1 -1 inf -inf nan({{.*}}) 2 -2
  %trunc = math.trunc %x : tensor<9xf32>
  // Constant exponents that need no logarithm.
  %two = arith.constant dense<2.0> : tensor<9xf32>
  // CHECK: square: 0 0 1 1 inf inf nan({{.*}}) 6.25 6.25
  %square = math.powf %x, %two : tensor<9xf32>
  %half_exponent = arith.constant dense<0.5> : tensor<9xf32>
  // CHECK: root: 0 0 1 nan({{.*}}) inf inf nan({{.*}}) 1.5811388 nan(
  %root = math.powf %x, %half_exponent : tensor<9xf32>
  %a = call @a() : () -> tensor<8xf32>
  %b = call @b() : () -> tensor<8xf32>
  // CHECK: powf: 1024 -8 nan({{.*}}) inf -inf 1 -inf 1
  %powf = math.powf %a, %b : tensor<8xf32>
  %c = call @c() : () -> tensor<8xf32>
  %d = call @d() : () -> tensor<8xf32>
  // 1e30 is 1000000015047466219876688855040, whose remainder by 3 is 0.
  // CHECK: remf: 1.5 -1.5 0 3 nan({{.*}}) nan({{.*}}) -0 nan(
  %remf = arith.remf %c, %d : tensor<8xf32>
  %h = call @h() : () -> tensor<4xf16>
  // Computed in f32, rounded once; e^12 is more than f16 holds.
  // CHECK: half: 2.719 0.368 59872 inf
  %half = math.exp %h : tensor<4xf16>
  return %exp, %log, %rsqrt, %tanh, %erf, %expm1, %log1p, %sin, %cos, %floor, %ceil, %round,
         %roundeven, %trunc, %square, %root, %powf, %remf, %half
      : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>,
        tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>,
        tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<4xf16>
}
