// Functions made of others: tangent, arc sine, hyperbolic functions and their inverses. Part of the library
// of functions (src/mlir/expand.c).

// An infinite tangent does not occur: no float is a multiple of pi/2.
func.func @tan_f32(%x: f32) -> f32 {
  %s = func.call @sin_f32(%x) : (f32) -> f32
  %c = func.call @cos_f32(%x) : (f32) -> f32
  %y = arith.divf %s, %c : f32
  return %y : f32
}

// The other side of a right triangle is sqrt((1 - x) (1 + x)), which loses nothing near 1.
func.func @asin_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %below = arith.subf %one, %x : f32
  %above = arith.addf %one, %x : f32
  %square = arith.mulf %below, %above : f32
  %side = math.sqrt %square : f32
  %y = func.call @atan2_f32(%x, %side) : (f32, f32) -> f32
  return %y : f32
}

func.func @acos_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %below = arith.subf %one, %x : f32
  %above = arith.addf %one, %x : f32
  %square = arith.mulf %below, %above : f32
  %side = math.sqrt %square : f32
  %y = func.call @atan2_f32(%side, %x) : (f32, f32) -> f32
  return %y : f32
}

// exp(|x|) / 2 where exp(-|x|) is nothing to it: the square of exp(|x| / 2), which does not overflow.
func.func @half_exp_f32(%a: f32) -> f32 {
  %half = arith.constant 0.5 : f32
  %b = arith.mulf %a, %half : f32
  %root = func.call @exp_f32(%b) : (f32) -> f32
  %h = arith.mulf %root, %half : f32
  %y = arith.mulf %h, %root : f32
  return %y : f32
}

// (e + e / (e + 1)) / 2, e = exp(|x|) - 1.
func.func @sinh_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %limit = arith.constant 80.0 : f32
  %a = math.absf %x : f32
  %large = arith.cmpf ogt, %a, %limit : f32
  %e = func.call @expm1_f32(%a) : (f32) -> f32
  %e1 = arith.addf %e, %one : f32
  %q = arith.divf %e, %e1 : f32
  %sum = arith.addf %e, %q : f32
  %near = arith.mulf %sum, %half : f32
  %far = func.call @half_exp_f32(%a) : (f32) -> f32
  %v = arith.select %large, %far, %near : f32
  %y = func.call @copysign_f32(%v, %x) : (f32, f32) -> f32
  return %y : f32
}

// e / 2 + 1 / (2 e), e = exp(|x|).
func.func @cosh_f32(%x: f32) -> f32 {
  %half = arith.constant 0.5 : f32
  %limit = arith.constant 80.0 : f32
  %a = math.absf %x : f32
  %large = arith.cmpf ogt, %a, %limit : f32
  %e = func.call @exp_f32(%a) : (f32) -> f32
  %h = arith.mulf %e, %half : f32
  %q = arith.divf %half, %e : f32
  %near = arith.addf %h, %q : f32
  %far = func.call @half_exp_f32(%a) : (f32) -> f32
  %y = arith.select %large, %far, %near : f32
  return %y : f32
}

// log(1 + (a + a^2 / (1 + sqrt(a^2 + 1)))), a = |x|; log(a) + log(2) where a^2 + 1 is a^2.
func.func @asinh_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %limit = arith.constant 8192.0 : f32
  %ln2 = arith.constant 0x3F317218 : f32
  %a = math.absf %x : f32
  %large = arith.cmpf ogt, %a, %limit : f32
  %square = arith.mulf %a, %a : f32
  %square1 = arith.addf %square, %one : f32
  %root = math.sqrt %square1 : f32
  %root1 = arith.addf %root, %one : f32
  %q = arith.divf %square, %root1 : f32
  %u = arith.addf %a, %q : f32
  %near = func.call @log1p_f32(%u) : (f32) -> f32
  %log = func.call @log_f32(%a) : (f32) -> f32
  %far = arith.addf %log, %ln2 : f32
  %v = arith.select %large, %far, %near : f32
  %y = func.call @copysign_f32(%v, %x) : (f32, f32) -> f32
  return %y : f32
}

// log(1 + (t + sqrt(2 t + t^2))), t = x - 1.
func.func @acosh_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %limit = arith.constant 8192.0 : f32
  %ln2 = arith.constant 0x3F317218 : f32
  %large = arith.cmpf ogt, %x, %limit : f32
  %t = arith.subf %x, %one : f32
  %twice = arith.addf %t, %t : f32
  %t2 = arith.mulf %t, %t : f32
  %square = arith.addf %twice, %t2 : f32
  %root = math.sqrt %square : f32
  %u = arith.addf %t, %root : f32
  %near = func.call @log1p_f32(%u) : (f32) -> f32
  %log = func.call @log_f32(%x) : (f32) -> f32
  %far = arith.addf %log, %ln2 : f32
  %v = arith.select %large, %far, %near : f32
  %outside = arith.cmpf olt, %x, %one : f32
  %y = arith.select %outside, %nan, %v : f32
  return %y : f32
}

// log(1 + 2 a / (1 - a)) / 2, a = |x|.
func.func @atanh_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %a = math.absf %x : f32
  %twice = arith.addf %a, %a : f32
  %rest = arith.subf %one, %a : f32
  %u = arith.divf %twice, %rest : f32
  %log = func.call @log1p_f32(%u) : (f32) -> f32
  %v = arith.mulf %log, %half : f32
  %y = func.call @copysign_f32(%v, %x) : (f32, f32) -> f32
  return %y : f32
}

// The same in f64.

func.func @tan_f64(%x: f64) -> f64 {
  %s = func.call @sin_f64(%x) : (f64) -> f64
  %c = func.call @cos_f64(%x) : (f64) -> f64
  %y = arith.divf %s, %c : f64
  return %y : f64
}

func.func @asin_f64(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %below = arith.subf %one, %x : f64
  %above = arith.addf %one, %x : f64
  %square = arith.mulf %below, %above : f64
  %side = math.sqrt %square : f64
  %y = func.call @atan2_f64(%x, %side) : (f64, f64) -> f64
  return %y : f64
}

func.func @acos_f64(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %below = arith.subf %one, %x : f64
  %above = arith.addf %one, %x : f64
  %square = arith.mulf %below, %above : f64
  %side = math.sqrt %square : f64
  %y = func.call @atan2_f64(%side, %x) : (f64, f64) -> f64
  return %y : f64
}

func.func @half_exp_f64(%a: f64) -> f64 {
  %half = arith.constant 0.5 : f64
  %b = arith.mulf %a, %half : f64
  %root = func.call @exp_f64(%b) : (f64) -> f64
  %h = arith.mulf %root, %half : f64
  %y = arith.mulf %h, %root : f64
  return %y : f64
}

func.func @sinh_f64(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  %limit = arith.constant 700.0 : f64
  %a = math.absf %x : f64
  %large = arith.cmpf ogt, %a, %limit : f64
  %e = func.call @expm1_f64(%a) : (f64) -> f64
  %e1 = arith.addf %e, %one : f64
  %q = arith.divf %e, %e1 : f64
  %sum = arith.addf %e, %q : f64
  %near = arith.mulf %sum, %half : f64
  %far = func.call @half_exp_f64(%a) : (f64) -> f64
  %v = arith.select %large, %far, %near : f64
  %y = func.call @copysign_f64(%v, %x) : (f64, f64) -> f64
  return %y : f64
}

func.func @cosh_f64(%x: f64) -> f64 {
  %half = arith.constant 0.5 : f64
  %limit = arith.constant 700.0 : f64
  %a = math.absf %x : f64
  %large = arith.cmpf ogt, %a, %limit : f64
  %e = func.call @exp_f64(%a) : (f64) -> f64
  %h = arith.mulf %e, %half : f64
  %q = arith.divf %half, %e : f64
  %near = arith.addf %h, %q : f64
  %far = func.call @half_exp_f64(%a) : (f64) -> f64
  %y = arith.select %large, %far, %near : f64
  return %y : f64
}

func.func @asinh_f64(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %limit = arith.constant 268435456.0 : f64
  %ln2 = arith.constant 0x3FE62E42FEFA39EF : f64
  %a = math.absf %x : f64
  %large = arith.cmpf ogt, %a, %limit : f64
  %square = arith.mulf %a, %a : f64
  %square1 = arith.addf %square, %one : f64
  %root = math.sqrt %square1 : f64
  %root1 = arith.addf %root, %one : f64
  %q = arith.divf %square, %root1 : f64
  %u = arith.addf %a, %q : f64
  %near = func.call @log1p_f64(%u) : (f64) -> f64
  %log = func.call @log_f64(%a) : (f64) -> f64
  %far = arith.addf %log, %ln2 : f64
  %v = arith.select %large, %far, %near : f64
  %y = func.call @copysign_f64(%v, %x) : (f64, f64) -> f64
  return %y : f64
}

func.func @acosh_f64(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %nan = arith.constant 0x7FF8000000000000 : f64
  %limit = arith.constant 268435456.0 : f64
  %ln2 = arith.constant 0x3FE62E42FEFA39EF : f64
  %large = arith.cmpf ogt, %x, %limit : f64
  %t = arith.subf %x, %one : f64
  %twice = arith.addf %t, %t : f64
  %t2 = arith.mulf %t, %t : f64
  %square = arith.addf %twice, %t2 : f64
  %root = math.sqrt %square : f64
  %u = arith.addf %t, %root : f64
  %near = func.call @log1p_f64(%u) : (f64) -> f64
  %log = func.call @log_f64(%x) : (f64) -> f64
  %far = arith.addf %log, %ln2 : f64
  %v = arith.select %large, %far, %near : f64
  %outside = arith.cmpf olt, %x, %one : f64
  %y = arith.select %outside, %nan, %v : f64
  return %y : f64
}

func.func @atanh_f64(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  %a = math.absf %x : f64
  %twice = arith.addf %a, %a : f64
  %rest = arith.subf %one, %a : f64
  %u = arith.divf %twice, %rest : f64
  %log = func.call @log1p_f64(%u) : (f64) -> f64
  %v = arith.mulf %log, %half : f64
  %y = func.call @copysign_f64(%v, %x) : (f64, f64) -> f64
  return %y : f64
}
