// Exponentials, and functions made of them: tanh, erf. Part of the library of functions (src/mlir/expand.c).

// exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln(2) / 2; exp(r) = 1 + r + r^2 q(r). 2^n is
// two factors, so that the result may be subnormal or overflow with one rounding.
func.func @exp_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %log2e = arith.constant 0x3FB8AA3B : f32
  %ln2_high = arith.constant 0x3F318000 : f32
  %ln2_low = arith.constant 0xB95E8083 : f32
  %magic = arith.constant 12582912.0 : f32
  %c0 = arith.constant 0x3EFFFFFE : f32
  %c1 = arith.constant 0x3E2AAA49 : f32
  %c2 = arith.constant 0x3D2AAC5E : f32
  %c3 = arith.constant 0x3C091CE3 : f32
  %c4 = arith.constant 0x3AB520AF : f32
  %magic_bits = arith.constant 0x4B400000 : i32
  %bias = arith.constant 127 : i32
  %fraction = arith.constant 23 : i32
  %high = arith.constant 89.0 : f32
  %low = arith.constant -104.0 : f32
  %i1 = arith.constant 1 : i32
  %above = arith.cmpf ogt, %x, %high : f32
  %x1 = arith.select %above, %high, %x : f32
  %below = arith.cmpf olt, %x1, %low : f32
  %x2 = arith.select %below, %low, %x1 : f32
  %t = arith.mulf %x2, %log2e : f32
  %shifted = arith.addf %t, %magic : f32
  %nf = arith.subf %shifted, %magic : f32
  %shifted_bits = arith.bitcast %shifted : f32 to i32
  %n = arith.subi %shifted_bits, %magic_bits : i32
  %h1 = arith.mulf %nf, %ln2_high : f32
  %r1 = arith.subf %x2, %h1 : f32
  %h2 = arith.mulf %nf, %ln2_low : f32
  %r = arith.subf %r1, %h2 : f32
  %qm3 = arith.mulf %c4, %r : f32
  %q3 = arith.addf %qm3, %c3 : f32
  %qm2 = arith.mulf %q3, %r : f32
  %q2 = arith.addf %qm2, %c2 : f32
  %qm1 = arith.mulf %q2, %r : f32
  %q1 = arith.addf %qm1, %c1 : f32
  %qm0 = arith.mulf %q1, %r : f32
  %q0 = arith.addf %qm0, %c0 : f32
  %r2 = arith.mulf %r, %r : f32
  %s = arith.mulf %r2, %q0 : f32
  %u = arith.addf %r, %s : f32
  %p = arith.addf %u, %one : f32
  %n1 = arith.shrsi %n, %i1 : i32
  %n2 = arith.subi %n, %n1 : i32
  %e1 = arith.addi %n1, %bias : i32
  %b1 = arith.shli %e1, %fraction : i32
  %f1 = arith.bitcast %b1 : i32 to f32
  %e2 = arith.addi %n2, %bias : i32
  %b2 = arith.shli %e2, %fraction : i32
  %f2 = arith.bitcast %b2 : i32 to f32
  %y1 = arith.mulf %p, %f1 : f32
  %y = arith.mulf %y1, %f2 : f32
  return %y : f32
}

func.func @exp2_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %magic = arith.constant 12582912.0 : f32
  %c0 = arith.constant 0x3EFFFFFE : f32
  %c1 = arith.constant 0x3E2AAA49 : f32
  %c2 = arith.constant 0x3D2AAC5E : f32
  %c3 = arith.constant 0x3C091CE3 : f32
  %c4 = arith.constant 0x3AB520AF : f32
  %magic_bits = arith.constant 0x4B400000 : i32
  %bias = arith.constant 127 : i32
  %fraction = arith.constant 23 : i32
  %high = arith.constant 129.0 : f32
  %low = arith.constant -151.0 : f32
  %i1 = arith.constant 1 : i32
  %ln2 = arith.constant 0x3F317218 : f32
  %above = arith.cmpf ogt, %x, %high : f32
  %x1 = arith.select %above, %high, %x : f32
  %below = arith.cmpf olt, %x1, %low : f32
  %x2 = arith.select %below, %low, %x1 : f32
  %shifted = arith.addf %x2, %magic : f32
  %nf = arith.subf %shifted, %magic : f32
  %shifted_bits = arith.bitcast %shifted : f32 to i32
  %n = arith.subi %shifted_bits, %magic_bits : i32
  %d = arith.subf %x2, %nf : f32
  %r = arith.mulf %d, %ln2 : f32
  %qm3 = arith.mulf %c4, %r : f32
  %q3 = arith.addf %qm3, %c3 : f32
  %qm2 = arith.mulf %q3, %r : f32
  %q2 = arith.addf %qm2, %c2 : f32
  %qm1 = arith.mulf %q2, %r : f32
  %q1 = arith.addf %qm1, %c1 : f32
  %qm0 = arith.mulf %q1, %r : f32
  %q0 = arith.addf %qm0, %c0 : f32
  %r2 = arith.mulf %r, %r : f32
  %s = arith.mulf %r2, %q0 : f32
  %u = arith.addf %r, %s : f32
  %p = arith.addf %u, %one : f32
  %n1 = arith.shrsi %n, %i1 : i32
  %n2 = arith.subi %n, %n1 : i32
  %e1 = arith.addi %n1, %bias : i32
  %b1 = arith.shli %e1, %fraction : i32
  %f1 = arith.bitcast %b1 : i32 to f32
  %e2 = arith.addi %n2, %bias : i32
  %b2 = arith.shli %e2, %fraction : i32
  %f2 = arith.bitcast %b2 : i32 to f32
  %y1 = arith.mulf %p, %f1 : f32
  %y = arith.mulf %y1, %f2 : f32
  return %y : f32
}

// exp(x) where neither argument nor result is extreme: |x| <= 80.
func.func @exp_normal_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %log2e = arith.constant 0x3FB8AA3B : f32
  %ln2_high = arith.constant 0x3F318000 : f32
  %ln2_low = arith.constant 0xB95E8083 : f32
  %magic = arith.constant 12582912.0 : f32
  %c0 = arith.constant 0x3EFFFFFE : f32
  %c1 = arith.constant 0x3E2AAA49 : f32
  %c2 = arith.constant 0x3D2AAC5E : f32
  %c3 = arith.constant 0x3C091CE3 : f32
  %c4 = arith.constant 0x3AB520AF : f32
  %magic_bits = arith.constant 0x4B400000 : i32
  %bias = arith.constant 127 : i32
  %fraction = arith.constant 23 : i32
  %t = arith.mulf %x, %log2e : f32
  %shifted = arith.addf %t, %magic : f32
  %nf = arith.subf %shifted, %magic : f32
  %shifted_bits = arith.bitcast %shifted : f32 to i32
  %n = arith.subi %shifted_bits, %magic_bits : i32
  %h1 = arith.mulf %nf, %ln2_high : f32
  %r1 = arith.subf %x, %h1 : f32
  %h2 = arith.mulf %nf, %ln2_low : f32
  %r = arith.subf %r1, %h2 : f32
  %qm3 = arith.mulf %c4, %r : f32
  %q3 = arith.addf %qm3, %c3 : f32
  %qm2 = arith.mulf %q3, %r : f32
  %q2 = arith.addf %qm2, %c2 : f32
  %qm1 = arith.mulf %q2, %r : f32
  %q1 = arith.addf %qm1, %c1 : f32
  %qm0 = arith.mulf %q1, %r : f32
  %q0 = arith.addf %qm0, %c0 : f32
  %r2 = arith.mulf %r, %r : f32
  %s = arith.mulf %r2, %q0 : f32
  %u = arith.addf %r, %s : f32
  %p = arith.addf %u, %one : f32
  %e = arith.addi %n, %bias : i32
  %b = arith.shli %e, %fraction : i32
  %scale = arith.bitcast %b : i32 to f32
  %y = arith.mulf %p, %scale : f32
  return %y : f32
}

// exp(x) - 1 = 2^n (exp(r) - 1) + (2^n - 1), with n and r as in exp; halved on the way, as
// 2^128 is no float. Where |x| is tiny the result is x.
func.func @expm1_f32(%x: f32) -> f32 {
  %high = arith.constant 89.0 : f32
  %low = arith.constant -18.0 : f32
  %tiny = arith.constant 0x33000000 : f32
  %log2e = arith.constant 0x3FB8AA3B : f32
  %ln2_high = arith.constant 0x3F318000 : f32
  %ln2_low = arith.constant 0xB95E8083 : f32
  %magic = arith.constant 12582912.0 : f32
  %half = arith.constant 0.5 : f32
  %two = arith.constant 2.0 : f32
  %c0 = arith.constant 0x3EFFFFFF : f32
  %c1 = arith.constant 0x3E2AAA59 : f32
  %c2 = arith.constant 0x3D2AAB81 : f32
  %c3 = arith.constant 0x3C091353 : f32
  %c4 = arith.constant 0x3AB5C659 : f32
  %magic_bits = arith.constant 0x4B400000 : i32
  %bias = arith.constant 126 : i32
  %fraction = arith.constant 23 : i32
  %above = arith.cmpf ogt, %x, %high : f32
  %x1 = arith.select %above, %high, %x : f32
  %below = arith.cmpf olt, %x1, %low : f32
  %x2 = arith.select %below, %low, %x1 : f32
  %t = arith.mulf %x2, %log2e : f32
  %shifted = arith.addf %t, %magic : f32
  %nf = arith.subf %shifted, %magic : f32
  %shifted_bits = arith.bitcast %shifted : f32 to i32
  %n = arith.subi %shifted_bits, %magic_bits : i32
  %h1 = arith.mulf %nf, %ln2_high : f32
  %r1 = arith.subf %x2, %h1 : f32
  %h2 = arith.mulf %nf, %ln2_low : f32
  %r = arith.subf %r1, %h2 : f32
  %qm3 = arith.mulf %c4, %r : f32
  %q3 = arith.addf %qm3, %c3 : f32
  %qm2 = arith.mulf %q3, %r : f32
  %q2 = arith.addf %qm2, %c2 : f32
  %qm1 = arith.mulf %q2, %r : f32
  %q1 = arith.addf %qm1, %c1 : f32
  %qm0 = arith.mulf %q1, %r : f32
  %q0 = arith.addf %qm0, %c0 : f32
  %r2 = arith.mulf %r, %r : f32
  %s = arith.mulf %r2, %q0 : f32
  %e = arith.addf %r, %s : f32
  %biased = arith.addi %n, %bias : i32
  %scale_bits = arith.shli %biased, %fraction : i32
  %scale = arith.bitcast %scale_bits : i32 to f32
  %scaled = arith.mulf %scale, %e : f32
  %rest = arith.subf %scale, %half : f32
  %sum = arith.addf %scaled, %rest : f32
  %v = arith.mulf %sum, %two : f32
  %a = math.absf %x : f32
  %is_tiny = arith.cmpf olt, %a, %tiny : f32
  %y = arith.select %is_tiny, %x, %v : f32
  return %y : f32
}

// tanh(x) = (exp(2x) - 1) / (exp(2x) + 1), with exp(2x) - 1 as in expm1; 1 from where it rounds to 1.
// Near 1 the error of exp cancels.
func.func @tanh_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %limit = arith.constant 9.02 : f32
  %log2e = arith.constant 0x3FB8AA3B : f32
  %ln2_high = arith.constant 0x3F318000 : f32
  %ln2_low = arith.constant 0xB95E8083 : f32
  %magic = arith.constant 12582912.0 : f32
  %c0 = arith.constant 0x3EFFFFFF : f32
  %c1 = arith.constant 0x3E2AAA59 : f32
  %c2 = arith.constant 0x3D2AAB81 : f32
  %c3 = arith.constant 0x3C091353 : f32
  %c4 = arith.constant 0x3AB5C659 : f32
  %magic_bits = arith.constant 0x4B400000 : i32
  %bias = arith.constant 127 : i32
  %fraction = arith.constant 23 : i32
  %a = math.absf %x : f32
  %large = arith.cmpf ogt, %a, %limit : f32
  %b = arith.select %large, %limit, %a : f32
  %d = arith.addf %b, %b : f32
  %t = arith.mulf %d, %log2e : f32
  %shifted = arith.addf %t, %magic : f32
  %nf = arith.subf %shifted, %magic : f32
  %shifted_bits = arith.bitcast %shifted : f32 to i32
  %n = arith.subi %shifted_bits, %magic_bits : i32
  %h1 = arith.mulf %nf, %ln2_high : f32
  %r1 = arith.subf %d, %h1 : f32
  %h2 = arith.mulf %nf, %ln2_low : f32
  %r = arith.subf %r1, %h2 : f32
  %qm3 = arith.mulf %c4, %r : f32
  %q3 = arith.addf %qm3, %c3 : f32
  %qm2 = arith.mulf %q3, %r : f32
  %q2 = arith.addf %qm2, %c2 : f32
  %qm1 = arith.mulf %q2, %r : f32
  %q1 = arith.addf %qm1, %c1 : f32
  %qm0 = arith.mulf %q1, %r : f32
  %q0 = arith.addf %qm0, %c0 : f32
  %r2 = arith.mulf %r, %r : f32
  %s = arith.mulf %r2, %q0 : f32
  %u = arith.addf %r, %s : f32
  %e = arith.addi %n, %bias : i32
  %sb = arith.shli %e, %fraction : i32
  %scale = arith.bitcast %sb : i32 to f32
  %m1 = arith.mulf %scale, %u : f32
  %m2 = arith.subf %scale, %one : f32
  %m = arith.addf %m1, %m2 : f32
  %w = arith.addf %m, %two : f32
  %v = arith.divf %m, %w : f32
  %v1 = arith.select %large, %one, %v : f32
  %y = func.call @with_sign_f32(%v1, %x) : (f32, f32) -> f32
  return %y : f32
}

// Near 0 x + x r(x^2), else 1 - exp(-(|x| + |x| r(|x|))); the coefficients of r are chosen, the
// rest is shared. 1 from where it rounds to 1.
func.func @erf_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %near_limit = arith.constant 0.9375 : f32
  %limit = arith.constant 3.925 : f32
  %s0 = arith.constant 0x3E0375D3 : f32
  %l0 = arith.constant 0x3E0396BF : f32
  %s1 = arith.constant 0xBEC0936E : f32
  %l1 = arith.constant 0x3F22C095 : f32
  %s2 = arith.constant 0x3DE70C2B : f32
  %l2 = arith.constant 0x3DD77CBF : f32
  %s3 = arith.constant 0xBCDB34C7 : f32
  %l3 = arith.constant 0xBCBB48F1 : f32
  %s4 = arith.constant 0x3BA33509 : f32
  %l4 = arith.constant 0x3B521E68 : f32
  %s5 = arith.constant 0xBA1B52D7 : f32
  %l5 = arith.constant 0xB95F40FD : f32
  %a = math.absf %x : f32
  %large = arith.cmpf ogt, %a, %limit : f32
  %b = arith.select %large, %limit, %a : f32
  %far = arith.cmpf oge, %b, %near_limit : f32
  %t = arith.mulf %b, %b : f32
  %v = arith.select %far, %b, %t : f32
  %k0 = arith.select %far, %l0, %s0 : f32
  %k1 = arith.select %far, %l1, %s1 : f32
  %k2 = arith.select %far, %l2, %s2 : f32
  %k3 = arith.select %far, %l3, %s3 : f32
  %k4 = arith.select %far, %l4, %s4 : f32
  %k5 = arith.select %far, %l5, %s5 : f32
  %hm4 = arith.mulf %k5, %v : f32
  %h4 = arith.addf %hm4, %k4 : f32
  %hm3 = arith.mulf %h4, %v : f32
  %h3 = arith.addf %hm3, %k3 : f32
  %hm2 = arith.mulf %h3, %v : f32
  %h2 = arith.addf %hm2, %k2 : f32
  %hm1 = arith.mulf %h2, %v : f32
  %h1 = arith.addf %hm1, %k1 : f32
  %hm0 = arith.mulf %h1, %v : f32
  %h0 = arith.addf %hm0, %k0 : f32
  %br = arith.mulf %b, %h0 : f32
  %near = arith.addf %b, %br : f32
  %minus = arith.negf %near : f32
  %e = func.call @exp_normal_f32(%minus) : (f32) -> f32
  %rest = arith.subf %one, %e : f32
  %w = arith.select %far, %rest, %near : f32
  %y = func.call @with_sign_f32(%w, %x) : (f32, f32) -> f32
  return %y : f32
}
