// The math library: what "tepal-math" puts in place of operations of the math dialect.
//
// One function per operation and type, NAME_TYPE. Bodies are straight lines of arith operations
// that hardware has: add, multiply, compare, select, integer add and shift, bitcast. No operation
// here has an undefined result for any argument (so no fptosi of a value that may not fit: adding
// 1.5 * 2^23 leaves the nearest integer in the low bits of the sum). f64 is not used.
//
// Polynomials are minimax fits made by minimax.py. docs/numerics.md has the measured errors.

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

// log(x) = k ln 2 + log(1 + f), x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2);
// log(1 + f) = f + f^2 q(f), where q(f) begins with -1/2.
func.func @log_f32(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %infinity = arith.constant 0x7F800000 : f32
  %minus_infinity = arith.constant 0xFF800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %smallest_normal = arith.constant 0x00800000 : f32
  %two23 = arith.constant 8388608.0 : f32
  %ln2_high = arith.constant 0x3F318000 : f32
  %ln2_low = arith.constant 0xB95E8083 : f32
  %magic = arith.constant 12582912.0 : f32
  %magic_bits = arith.constant 0x4B400000 : i32
  %sqrt_half = arith.constant 0x3F3504F3 : i32
  %fraction = arith.constant 23 : i32
  %minus23 = arith.constant -23 : i32
  %i0 = arith.constant 0 : i32
  %minus_half = arith.constant -0.5 : f32
  %c0 = arith.constant 0x3EAAAB6C : f32
  %c1 = arith.constant 0xBE8001C0 : f32
  %c2 = arith.constant 0x3E4C6C13 : f32
  %c3 = arith.constant 0xBE29C150 : f32
  %c4 = arith.constant 0x3E18B96A : f32
  %c5 = arith.constant 0xBE1217FB : f32
  %c6 = arith.constant 0x3DB22FE7 : f32
  %tiny = arith.cmpf olt, %x, %smallest_normal : f32
  %scaled = arith.mulf %x, %two23 : f32
  %x1 = arith.select %tiny, %scaled, %x : f32
  %k0 = arith.select %tiny, %minus23, %i0 : i32
  %bits = arith.bitcast %x1 : f32 to i32
  %above = arith.subi %bits, %sqrt_half : i32
  %k1 = arith.shrsi %above, %fraction : i32
  %k1_bits = arith.shli %k1, %fraction : i32
  %m_bits = arith.subi %bits, %k1_bits : i32
  %m = arith.bitcast %m_bits : i32 to f32
  %f = arith.subf %m, %one : f32
  %k = arith.addi %k1, %k0 : i32
  %k_bits = arith.addi %k, %magic_bits : i32
  %k_shifted = arith.bitcast %k_bits : i32 to f32
  %kf = arith.subf %k_shifted, %magic : f32
  %p6 = arith.mulf %c6, %f : f32
  %q5 = arith.addf %p6, %c5 : f32
  %p5 = arith.mulf %q5, %f : f32
  %q4 = arith.addf %p5, %c4 : f32
  %p4 = arith.mulf %q4, %f : f32
  %q3 = arith.addf %p4, %c3 : f32
  %p3 = arith.mulf %q3, %f : f32
  %q2 = arith.addf %p3, %c2 : f32
  %p2 = arith.mulf %q2, %f : f32
  %q1 = arith.addf %p2, %c1 : f32
  %p1 = arith.mulf %q1, %f : f32
  %q0 = arith.addf %p1, %c0 : f32
  %p0 = arith.mulf %q0, %f : f32
  %q = arith.addf %p0, %minus_half : f32
  %z = arith.mulf %f, %f : f32
  %w = arith.mulf %z, %q : f32
  %low = arith.mulf %kf, %ln2_low : f32
  %s1 = arith.addf %w, %low : f32
  %s2 = arith.addf %f, %s1 : f32
  %high = arith.mulf %kf, %ln2_high : f32
  %y = arith.addf %s2, %high : f32
  %is_zero = arith.cmpf oeq, %x, %zero : f32
  %y1 = arith.select %is_zero, %minus_infinity, %y : f32
  %negative = arith.cmpf olt, %x, %zero : f32
  %y2 = arith.select %negative, %nan, %y1 : f32
  %finite = arith.cmpf olt, %x, %infinity : f32
  %y3 = arith.select %finite, %y2, %x : f32
  return %y3 : f32
}

// As log; k + log2(e) log(1 + f), the product in two parts.
func.func @log2_f32(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %infinity = arith.constant 0x7F800000 : f32
  %minus_infinity = arith.constant 0xFF800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %smallest_normal = arith.constant 0x00800000 : f32
  %two23 = arith.constant 8388608.0 : f32
  %magic = arith.constant 12582912.0 : f32
  %minus_half = arith.constant -0.5 : f32
  %c0 = arith.constant 0x3EAAAB6C : f32
  %c1 = arith.constant 0xBE8001C0 : f32
  %c2 = arith.constant 0x3E4C6C13 : f32
  %c3 = arith.constant 0xBE29C150 : f32
  %c4 = arith.constant 0x3E18B96A : f32
  %c5 = arith.constant 0xBE1217FB : f32
  %c6 = arith.constant 0x3DB22FE7 : f32
  %magic_bits = arith.constant 0x4B400000 : i32
  %sqrt_half = arith.constant 0x3F3504F3 : i32
  %fraction = arith.constant 23 : i32
  %minus23 = arith.constant -23 : i32
  %i0 = arith.constant 0 : i32
  %high_mask = arith.constant -4096 : i32
  %scale = arith.constant 0x3FB8AA3B : f32
  %scale_high = arith.constant 0x3FB8A000 : f32
  %scale_low = arith.constant 0x39A3B296 : f32
  %tiny = arith.cmpf olt, %x, %smallest_normal : f32
  %scaled = arith.mulf %x, %two23 : f32
  %x1 = arith.select %tiny, %scaled, %x : f32
  %k0 = arith.select %tiny, %minus23, %i0 : i32
  %bits = arith.bitcast %x1 : f32 to i32
  %above = arith.subi %bits, %sqrt_half : i32
  %k1 = arith.shrsi %above, %fraction : i32
  %k1_bits = arith.shli %k1, %fraction : i32
  %m_bits = arith.subi %bits, %k1_bits : i32
  %m = arith.bitcast %m_bits : i32 to f32
  %f = arith.subf %m, %one : f32
  %k = arith.addi %k1, %k0 : i32
  %k_bits = arith.addi %k, %magic_bits : i32
  %k_shifted = arith.bitcast %k_bits : i32 to f32
  %kf = arith.subf %k_shifted, %magic : f32
  %qm6 = arith.mulf %c6, %f : f32
  %q6 = arith.addf %qm6, %c5 : f32
  %qm5 = arith.mulf %q6, %f : f32
  %q5 = arith.addf %qm5, %c4 : f32
  %qm4 = arith.mulf %q5, %f : f32
  %q4 = arith.addf %qm4, %c3 : f32
  %qm3 = arith.mulf %q4, %f : f32
  %q3 = arith.addf %qm3, %c2 : f32
  %qm2 = arith.mulf %q3, %f : f32
  %q2 = arith.addf %qm2, %c1 : f32
  %qm1 = arith.mulf %q2, %f : f32
  %q1 = arith.addf %qm1, %c0 : f32
  %qm0 = arith.mulf %q1, %f : f32
  %q0 = arith.addf %qm0, %minus_half : f32
  %z = arith.mulf %f, %f : f32
  %w = arith.mulf %z, %q0 : f32
  %f_b = arith.bitcast %f : f32 to i32
  %f_m = arith.andi %f_b, %high_mask : i32
  %fh = arith.bitcast %f_m : i32 to f32
  %fl = arith.subf %f, %fh : f32
  %rest = arith.addf %fl, %w : f32
  %p1 = arith.mulf %rest, %scale : f32
  %p2 = arith.mulf %fh, %scale_low : f32
  %p = arith.addf %p1, %p2 : f32
  %ph = arith.mulf %fh, %scale_high : f32
  %top = arith.addf %kf, %ph : f32
  %td = arith.subf %kf, %top : f32
  %te = arith.addf %td, %ph : f32
  %low = arith.addf %te, %p : f32
  %y0 = arith.addf %top, %low : f32
  %is_zero = arith.cmpf oeq, %x, %zero : f32
  %y1 = arith.select %is_zero, %minus_infinity, %y0 : f32
  %negative = arith.cmpf olt, %x, %zero : f32
  %y2 = arith.select %negative, %nan, %y1 : f32
  %finite = arith.cmpf olt, %x, %infinity : f32
  %y = arith.select %finite, %y2, %x : f32
  return %y : f32
}

// As log2.
func.func @log10_f32(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %infinity = arith.constant 0x7F800000 : f32
  %minus_infinity = arith.constant 0xFF800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %smallest_normal = arith.constant 0x00800000 : f32
  %two23 = arith.constant 8388608.0 : f32
  %magic = arith.constant 12582912.0 : f32
  %minus_half = arith.constant -0.5 : f32
  %c0 = arith.constant 0x3EAAAB6C : f32
  %c1 = arith.constant 0xBE8001C0 : f32
  %c2 = arith.constant 0x3E4C6C13 : f32
  %c3 = arith.constant 0xBE29C150 : f32
  %c4 = arith.constant 0x3E18B96A : f32
  %c5 = arith.constant 0xBE1217FB : f32
  %c6 = arith.constant 0x3DB22FE7 : f32
  %magic_bits = arith.constant 0x4B400000 : i32
  %sqrt_half = arith.constant 0x3F3504F3 : i32
  %fraction = arith.constant 23 : i32
  %minus23 = arith.constant -23 : i32
  %i0 = arith.constant 0 : i32
  %high_mask = arith.constant -4096 : i32
  %scale = arith.constant 0x3EDE5BD9 : f32
  %scale_high = arith.constant 0x3EDE5000 : f32
  %scale_low = arith.constant 0x38BD8A93 : f32
  %k_high = arith.constant 0x3E9A0000 : f32
  %k_low = arith.constant 0x39826A14 : f32
  %tiny = arith.cmpf olt, %x, %smallest_normal : f32
  %scaled = arith.mulf %x, %two23 : f32
  %x1 = arith.select %tiny, %scaled, %x : f32
  %k0 = arith.select %tiny, %minus23, %i0 : i32
  %bits = arith.bitcast %x1 : f32 to i32
  %above = arith.subi %bits, %sqrt_half : i32
  %k1 = arith.shrsi %above, %fraction : i32
  %k1_bits = arith.shli %k1, %fraction : i32
  %m_bits = arith.subi %bits, %k1_bits : i32
  %m = arith.bitcast %m_bits : i32 to f32
  %f = arith.subf %m, %one : f32
  %k = arith.addi %k1, %k0 : i32
  %k_bits = arith.addi %k, %magic_bits : i32
  %k_shifted = arith.bitcast %k_bits : i32 to f32
  %kf = arith.subf %k_shifted, %magic : f32
  %qm6 = arith.mulf %c6, %f : f32
  %q6 = arith.addf %qm6, %c5 : f32
  %qm5 = arith.mulf %q6, %f : f32
  %q5 = arith.addf %qm5, %c4 : f32
  %qm4 = arith.mulf %q5, %f : f32
  %q4 = arith.addf %qm4, %c3 : f32
  %qm3 = arith.mulf %q4, %f : f32
  %q3 = arith.addf %qm3, %c2 : f32
  %qm2 = arith.mulf %q3, %f : f32
  %q2 = arith.addf %qm2, %c1 : f32
  %qm1 = arith.mulf %q2, %f : f32
  %q1 = arith.addf %qm1, %c0 : f32
  %qm0 = arith.mulf %q1, %f : f32
  %q0 = arith.addf %qm0, %minus_half : f32
  %z = arith.mulf %f, %f : f32
  %w = arith.mulf %z, %q0 : f32
  %f_b = arith.bitcast %f : f32 to i32
  %f_m = arith.andi %f_b, %high_mask : i32
  %fh = arith.bitcast %f_m : i32 to f32
  %fl = arith.subf %f, %fh : f32
  %rest = arith.addf %fl, %w : f32
  %p1 = arith.mulf %rest, %scale : f32
  %p2 = arith.mulf %fh, %scale_low : f32
  %p = arith.addf %p1, %p2 : f32
  %ph = arith.mulf %fh, %scale_high : f32
  %kl = arith.mulf %kf, %k_low : f32
  %p0 = arith.addf %p, %kl : f32
  %kh = arith.mulf %kf, %k_high : f32
  %top = arith.addf %kh, %ph : f32
  %td = arith.subf %kh, %top : f32
  %te = arith.addf %td, %ph : f32
  %low = arith.addf %te, %p0 : f32
  %y0 = arith.addf %top, %low : f32
  %is_zero = arith.cmpf oeq, %x, %zero : f32
  %y1 = arith.select %is_zero, %minus_infinity, %y0 : f32
  %negative = arith.cmpf olt, %x, %zero : f32
  %y2 = arith.select %negative, %nan, %y1 : f32
  %finite = arith.cmpf olt, %x, %infinity : f32
  %y = arith.select %finite, %y2, %x : f32
  return %y : f32
}

// log(u), u = 1 + x rounded, corrected by what rounding lost: c / u, for which an approximate
// division will do. For x near 0 there is no loss: u - 1 is not used, but x itself.
func.func @log1p_f32(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %minus_one = arith.constant -1.0 : f32
  %infinity = arith.constant 0x7F800000 : f32
  %minus_infinity = arith.constant 0xFF800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %near_low = arith.constant -0.29 : f32
  %near_high = arith.constant 0.41 : f32
  %large = arith.constant 33554432.0 : f32
  %tiny = arith.constant 0x33000000 : f32
  %ln2_high = arith.constant 0x3F318000 : f32
  %ln2_low = arith.constant 0xB95E8083 : f32
  %magic = arith.constant 12582912.0 : f32
  %minus_half = arith.constant -0.5 : f32
  %c0 = arith.constant 0x3EAAAB6C : f32
  %c1 = arith.constant 0xBE8001C0 : f32
  %c2 = arith.constant 0x3E4C6C13 : f32
  %c3 = arith.constant 0xBE29C150 : f32
  %c4 = arith.constant 0x3E18B96A : f32
  %c5 = arith.constant 0xBE1217FB : f32
  %c6 = arith.constant 0x3DB22FE7 : f32
  %magic_bits = arith.constant 0x4B400000 : i32
  %sqrt_half = arith.constant 0x3F3504F3 : i32
  %fraction = arith.constant 23 : i32
  %bias = arith.constant 127 : i32
  %u = arith.addf %one, %x : f32
  %bits = arith.bitcast %u : f32 to i32
  %above = arith.subi %bits, %sqrt_half : i32
  %k = arith.shrsi %above, %fraction : i32
  %k_shift = arith.shli %k, %fraction : i32
  %m_bits = arith.subi %bits, %k_shift : i32
  %m = arith.bitcast %m_bits : i32 to f32
  %f1 = arith.subf %m, %one : f32
  %n1 = arith.cmpf ogt, %x, %near_low : f32
  %n2 = arith.cmpf olt, %x, %near_high : f32
  %near = arith.andi %n1, %n2 : i1
  %f = arith.select %near, %x, %f1 : f32
  %x_larger = arith.cmpf oge, %x, %one : f32
  %u_minus_x = arith.subf %u, %x : f32
  %ca = arith.subf %one, %u_minus_x : f32
  %u_minus_1 = arith.subf %u, %one : f32
  %cb = arith.subf %x, %u_minus_1 : f32
  %c_any = arith.select %x_larger, %ca, %cb : f32
  %is_large = arith.cmpf oge, %x, %large : f32
  %no_c = arith.ori %near, %is_large : i1
  %cc = arith.select %no_c, %zero, %c_any : f32
  %inv_e = arith.subi %bias, %k : i32
  %inv_bits = arith.shli %inv_e, %fraction : i32
  %inv = arith.bitcast %inv_bits : i32 to f32
  %inv1 = arith.select %is_large, %one, %inv : f32
  %one_minus_f = arith.subf %one, %f : f32
  %cs = arith.mulf %cc, %inv1 : f32
  %corr = arith.mulf %cs, %one_minus_f : f32
  %kb = arith.addi %k, %magic_bits : i32
  %k_shifted = arith.bitcast %kb : i32 to f32
  %kf1 = arith.subf %k_shifted, %magic : f32
  %kf = arith.select %near, %zero, %kf1 : f32
  %qm6 = arith.mulf %c6, %f : f32
  %q6 = arith.addf %qm6, %c5 : f32
  %qm5 = arith.mulf %q6, %f : f32
  %q5 = arith.addf %qm5, %c4 : f32
  %qm4 = arith.mulf %q5, %f : f32
  %q4 = arith.addf %qm4, %c3 : f32
  %qm3 = arith.mulf %q4, %f : f32
  %q3 = arith.addf %qm3, %c2 : f32
  %qm2 = arith.mulf %q3, %f : f32
  %q2 = arith.addf %qm2, %c1 : f32
  %qm1 = arith.mulf %q2, %f : f32
  %q1 = arith.addf %qm1, %c0 : f32
  %qm0 = arith.mulf %q1, %f : f32
  %q0 = arith.addf %qm0, %minus_half : f32
  %z = arith.mulf %f, %f : f32
  %w = arith.mulf %z, %q0 : f32
  %low = arith.mulf %kf, %ln2_low : f32
  %s1 = arith.addf %w, %low : f32
  %s0 = arith.addf %s1, %corr : f32
  %s2 = arith.addf %f, %s0 : f32
  %high = arith.mulf %kf, %ln2_high : f32
  %y0 = arith.addf %s2, %high : f32
  %a = math.absf %x : f32
  %is_tiny = arith.cmpf olt, %a, %tiny : f32
  %y1 = arith.select %is_tiny, %x, %y0 : f32
  %is_m1 = arith.cmpf oeq, %x, %minus_one : f32
  %y2 = arith.select %is_m1, %minus_infinity, %y1 : f32
  %negative = arith.cmpf olt, %x, %minus_one : f32
  %y3 = arith.select %negative, %nan, %y2 : f32
  %finite = arith.cmpf olt, %x, %infinity : f32
  %y = arith.select %finite, %y3, %x : f32
  return %y : f32
}

// Hardware has both operations, and the result is within 1 ulp for every argument, zeros, subnormals
// and infinity included.
func.func @rsqrt_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %root = math.sqrt %x : f32
  %y = arith.divf %one, %root : f32
  return %y : f32
}

// 2^(y log2 |x|), with log2 |x| and its product with y as sums of two floats; the high parts have 12 bits
// of mantissa where they are multiplied, so that those products are exact. The mantissa m of x is first
// multiplied by one of three short numbers that bring it near 1.
func.func @powf_f32(%x: f32, %y: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %infinity = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %smallest_normal = arith.constant 0x00800000 : f32
  %two23 = arith.constant 8388608.0 : f32
  %magic = arith.constant 12582912.0 : f32
  %y_limit = arith.constant 8589934592.0 : f32
  %high = arith.constant 200.0 : f32
  %low = arith.constant -200.0 : f32
  %ln2 = arith.constant 0x3F317218 : f32
  %log2e = arith.constant 0x3FB8AA3B : f32
  %log2e_high = arith.constant 0x3FB8A000 : f32
  %log2e_low = arith.constant 0x39A3B296 : f32
  %c0 = arith.constant 0x3EAAAAB7 : f32
  %c1 = arith.constant 0xBE7FFF26 : f32
  %c2 = arith.constant 0x3E4CB5E0 : f32
  %c3 = arith.constant 0xBE2B02D1 : f32
  %c4 = arith.constant 0x3E182620 : f32
  %c5 = arith.constant 0xBDF4007A : f32
  %d0 = arith.constant 0x3EFFFFFE : f32
  %d1 = arith.constant 0x3E2AAA49 : f32
  %d2 = arith.constant 0x3D2AAC5E : f32
  %d3 = arith.constant 0x3C091CE3 : f32
  %d4 = arith.constant 0x3AB520AF : f32
  %magic_bits = arith.constant 0x4B400000 : i32
  %sqrt_half = arith.constant 0x3F3504F3 : i32
  %fraction = arith.constant 23 : i32
  %minus23 = arith.constant -23 : i32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bias = arith.constant 127 : i32
  %high_mask = arith.constant -4096 : i32
  %upper = arith.constant 0x3F983759 : f32
  %lower = arith.constant 0x3F574500 : f32
  %upper_r = arith.constant 0x3F480000 : f32
  %lower_r = arith.constant 0x3FA80000 : f32
  %upper_log = arith.constant 0x3EB66000 : f32
  %lower_log = arith.constant 0xBEC8E000 : f32
  %upper_rest = arith.constant 0xB870979A : f32
  %lower_rest = arith.constant 0x378AEDC2 : f32
  %ax = math.absf %x : f32
  %tiny = arith.cmpf olt, %ax, %smallest_normal : f32
  %scaled = arith.mulf %ax, %two23 : f32
  %x1 = arith.select %tiny, %scaled, %ax : f32
  %k0 = arith.select %tiny, %minus23, %i0 : i32
  %bits = arith.bitcast %x1 : f32 to i32
  %above_root = arith.subi %bits, %sqrt_half : i32
  %k1 = arith.shrsi %above_root, %fraction : i32
  %k1b = arith.shli %k1, %fraction : i32
  %mb = arith.subi %bits, %k1b : i32
  %m = arith.bitcast %mb : i32 to f32
  %k = arith.addi %k1, %k0 : i32
  %kb = arith.addi %k, %magic_bits : i32
  %ks = arith.bitcast %kb : i32 to f32
  %kf0 = arith.subf %ks, %magic : f32
  %is_upper = arith.cmpf oge, %m, %upper : f32
  %is_lower = arith.cmpf olt, %m, %lower : f32
  %u_r = arith.select %is_upper, %upper_r, %one : f32
  %step_r = arith.select %is_lower, %lower_r, %u_r : f32
  %u_log = arith.select %is_upper, %upper_log, %zero : f32
  %step_log = arith.select %is_lower, %lower_log, %u_log : f32
  %u_rest = arith.select %is_upper, %upper_rest, %zero : f32
  %step_rest = arith.select %is_lower, %lower_rest, %u_rest : f32
  %mh_b = arith.bitcast %m : f32 to i32
  %mh_m = arith.andi %mh_b, %high_mask : i32
  %mh = arith.bitcast %mh_m : i32 to f32
  %ml = arith.subf %m, %mh : f32
  %mhr = arith.mulf %mh, %step_r : f32
  %g = arith.subf %mhr, %one : f32
  %mlr = arith.mulf %ml, %step_r : f32
  %f = arith.addf %g, %mlr : f32
  %gd = arith.subf %g, %f : f32
  %f_lost = arith.addf %gd, %mlr : f32
  %kf = arith.addf %kf0, %step_log : f32
  %fh_b = arith.bitcast %f : f32 to i32
  %fh_m = arith.andi %fh_b, %high_mask : i32
  %fh = arith.bitcast %fh_m : i32 to f32
  %fl = arith.subf %f, %fh : f32
  %fh2 = arith.mulf %fh, %fh : f32
  %a = arith.mulf %fh2, %half : f32
  %fs = arith.addf %f, %fh : f32
  %fls = arith.mulf %fl, %fs : f32
  %b = arith.mulf %fls, %half : f32
  %hi = arith.subf %f, %a : f32
  %d_ = arith.subf %f, %hi : f32
  %lo0 = arith.subf %d_, %a : f32
  %lo1 = arith.addf %lo0, %f_lost : f32
  %qm4 = arith.mulf %c5, %f : f32
  %q4 = arith.addf %qm4, %c4 : f32
  %qm3 = arith.mulf %q4, %f : f32
  %q3 = arith.addf %qm3, %c3 : f32
  %qm2 = arith.mulf %q3, %f : f32
  %q2 = arith.addf %qm2, %c2 : f32
  %qm1 = arith.mulf %q2, %f : f32
  %q1 = arith.addf %qm1, %c1 : f32
  %qm0 = arith.mulf %q1, %f : f32
  %q0 = arith.addf %qm0, %c0 : f32
  %f2 = arith.mulf %f, %f : f32
  %f3 = arith.mulf %f2, %f : f32
  %c = arith.mulf %f3, %q0 : f32
  %cb = arith.subf %c, %b : f32
  %lo = arith.addf %lo1, %cb : f32
  %hh_b = arith.bitcast %hi : f32 to i32
  %hh_m = arith.andi %hh_b, %high_mask : i32
  %hh = arith.bitcast %hh_m : i32 to f32
  %hl = arith.subf %hi, %hh : f32
  %ph = arith.mulf %hh, %log2e_high : f32
  %p1 = arith.mulf %hh, %log2e_low : f32
  %p2 = arith.mulf %hl, %log2e : f32
  %p3 = arith.mulf %lo, %log2e : f32
  %p12 = arith.addf %p1, %p2 : f32
  %p123 = arith.addf %p12, %p3 : f32
  %pl = arith.addf %p123, %step_rest : f32
  %S = arith.addf %kf, %ph : f32
  %Sd = arith.subf %kf, %S : f32
  %Se = arith.addf %Sd, %ph : f32
  %lo2 = arith.addf %Se, %pl : f32
  %H = arith.addf %S, %lo2 : f32
  %Hd = arith.subf %S, %H : f32
  %L = arith.addf %Hd, %lo2 : f32
  %ay = math.absf %y : f32
  %y_large = arith.cmpf ogt, %ay, %y_limit : f32
  %ay1 = arith.select %y_large, %y_limit, %ay : f32
  %yc = func.call @copysign_f32(%ay1, %y) : (f32, f32) -> f32
  %yh_b = arith.bitcast %yc : f32 to i32
  %yh_m = arith.andi %yh_b, %high_mask : i32
  %yh = arith.bitcast %yh_m : i32 to f32
  %yl = arith.subf %yc, %yh : f32
  %Hh_b = arith.bitcast %H : f32 to i32
  %Hh_m = arith.andi %Hh_b, %high_mask : i32
  %Hh = arith.bitcast %Hh_m : i32 to f32
  %Hl = arith.subf %H, %Hh : f32
  %eh = arith.mulf %yh, %Hh : f32
  %e1 = arith.mulf %yh, %Hl : f32
  %e2 = arith.mulf %yl, %H : f32
  %e3 = arith.mulf %yc, %L : f32
  %e12 = arith.addf %e1, %e2 : f32
  %el = arith.addf %e12, %e3 : f32
  %E = arith.addf %eh, %el : f32
  %over = arith.cmpf ogt, %E, %high : f32
  %under = arith.cmpf olt, %E, %low : f32
  %out = arith.ori %over, %under : i1
  %eh1 = arith.select %over, %high, %eh : f32
  %eh2 = arith.select %under, %low, %eh1 : f32
  %el1 = arith.select %out, %zero, %el : f32
  %E1 = arith.select %out, %eh2, %E : f32
  %ns = arith.addf %E1, %magic : f32
  %nf = arith.subf %ns, %magic : f32
  %nb = arith.bitcast %ns : f32 to i32
  %n = arith.subi %nb, %magic_bits : i32
  %r0 = arith.subf %eh2, %nf : f32
  %r1 = arith.addf %r0, %el1 : f32
  %r = arith.mulf %r1, %ln2 : f32
  %gm3 = arith.mulf %d4, %r : f32
  %g3 = arith.addf %gm3, %d3 : f32
  %gm2 = arith.mulf %g3, %r : f32
  %g2 = arith.addf %gm2, %d2 : f32
  %gm1 = arith.mulf %g2, %r : f32
  %g1 = arith.addf %gm1, %d1 : f32
  %gm0 = arith.mulf %g1, %r : f32
  %g0 = arith.addf %gm0, %d0 : f32
  %r2 = arith.mulf %r, %r : f32
  %s = arith.mulf %r2, %g0 : f32
  %u = arith.addf %r, %s : f32
  %p = arith.addf %u, %one : f32
  %n1 = arith.shrsi %n, %i1 : i32
  %n2 = arith.subi %n, %n1 : i32
  %x1e = arith.addi %n1, %bias : i32
  %x1b = arith.shli %x1e, %fraction : i32
  %x1f = arith.bitcast %x1b : i32 to f32
  %x2e = arith.addi %n2, %bias : i32
  %x2b = arith.shli %x2e, %fraction : i32
  %x2f = arith.bitcast %x2b : i32 to f32
  %v1 = arith.mulf %p, %x1f : f32
  %v = arith.mulf %v1, %x2f : f32
  %y_negative = arith.cmpf olt, %y, %zero : f32
  %at_zero = arith.select %y_negative, %infinity, %zero : f32
  %at_infinity = arith.select %y_negative, %zero, %infinity : f32
  %x_zero = arith.cmpf oeq, %ax, %zero : f32
  %x_infinite = arith.cmpf oeq, %ax, %infinity : f32
  %w1 = arith.select %x_zero, %at_zero, %v : f32
  %w2 = arith.select %x_infinite, %at_infinity, %w1 : f32
  %yr = func.call @roundeven_f32(%y) : (f32) -> f32
  %integer = arith.cmpf oeq, %yr, %y : f32
  %yhalf = arith.mulf %y, %half : f32
  %yhr = func.call @roundeven_f32(%yhalf) : (f32) -> f32
  %not_even = arith.cmpf une, %yhr, %yhalf : f32
  %odd = arith.andi %integer, %not_even : i1
  %xb = arith.bitcast %x : f32 to i32
  %x_sign = arith.cmpi slt, %xb, %i0 : i32
  %flip = arith.andi %odd, %x_sign : i1
  %w3 = arith.negf %w2 : f32
  %w4 = arith.select %flip, %w3, %w2 : f32
  %x_negative = arith.cmpf olt, %x, %zero : f32
  %x_finite = arith.cmpf olt, %ax, %infinity : f32
  %fractional = arith.cmpf une, %yr, %y : f32
  %n_1 = arith.andi %x_negative, %x_finite : i1
  %no_value = arith.andi %n_1, %fractional : i1
  %w5 = arith.select %no_value, %nan, %w4 : f32
  %unordered = arith.cmpf uno, %x, %y : f32
  %nan_sum = arith.addf %x, %y : f32
  %w6 = arith.select %unordered, %nan_sum, %w5 : f32
  %y_zero = arith.cmpf oeq, %y, %zero : f32
  %x_one = arith.cmpf oeq, %x, %one : f32
  %is_one = arith.ori %y_zero, %x_one : i1
  %result = arith.select %is_one, %one, %w6 : f32
  return %result : f32
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
  %y = func.call @copysign_f32(%v1, %x) : (f32, f32) -> f32
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
  %y = func.call @copysign_f32(%w, %x) : (f32, f32) -> f32
  return %y : f32
}

// The quadrant chooses between the sine and the cosine of what is left of x, and their signs.
func.func @sin_f32(%x: f32) -> f32 {
  %half = arith.constant 2305843009213693952 : i64
  %l62 = arith.constant 62 : i64
  %scale = arith.constant 0x20C90FDB : f32
  %quarter = arith.constant 0x3F490FDB : f32
  %one = arith.constant 1.0 : f32
  %minus_half = arith.constant -0.5 : f32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %infinity = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %s0 = arith.constant 0xBE2AAAA3 : f32
  %s1 = arith.constant 0x3C0883BC : f32
  %s2 = arith.constant 0xB94CA9FF : f32
  %c0 = arith.constant 0x3D2AAAA5 : f32
  %c1 = arith.constant 0xBAB60614 : f32
  %c2 = arith.constant 0x37CCF406 : f32
  %sign_mask = arith.constant -2147483648 : i32
  %a = math.absf %x : f32
  %small = arith.cmpf ole, %a, %quarter : f32
  %fixed = func.call @trig_reduce_f32(%x) : (f32) -> i64
  %up = arith.addi %fixed, %half : i64
  %q64 = arith.shrui %up, %l62 : i64
  %q0 = arith.trunci %q64 : i64 to i32
  %back = arith.shli %q64, %l62 : i64
  %rest = arith.subi %fixed, %back : i64
  %restf = arith.sitofp %rest : i64 to f32
  %r0 = arith.mulf %restf, %scale : f32
  %r = arith.select %small, %a, %r0 : f32
  %q1 = arith.select %small, %i0, %q0 : i32
  %t = arith.mulf %r, %r : f32
  %spm1 = arith.mulf %s2, %t : f32
  %sp1 = arith.addf %spm1, %s1 : f32
  %spm0 = arith.mulf %sp1, %t : f32
  %sp0 = arith.addf %spm0, %s0 : f32
  %rt = arith.mulf %r, %t : f32
  %s_rest = arith.mulf %rt, %sp0 : f32
  %sine = arith.addf %r, %s_rest : f32
  %cpm1 = arith.mulf %c2, %t : f32
  %cp1 = arith.addf %cpm1, %c1 : f32
  %cpm0 = arith.mulf %cp1, %t : f32
  %cp0 = arith.addf %cpm0, %c0 : f32
  %tc = arith.mulf %t, %cp0 : f32
  %c1st = arith.addf %tc, %minus_half : f32
  %c2nd = arith.mulf %c1st, %t : f32
  %cosine = arith.addf %c2nd, %one : f32
  %odd_bit = arith.andi %q1, %i1 : i32
  %odd = arith.cmpi ne, %odd_bit, %i0 : i32
  %v = arith.select %odd, %cosine, %sine : f32
  %neg_bit = arith.andi %q1, %i2 : i32
  %negative = arith.cmpi ne, %neg_bit, %i0 : i32
  %minus_v = arith.negf %v : f32
  %w = arith.select %negative, %minus_v, %v : f32
  %xb = arith.bitcast %x : f32 to i32
  %sign = arith.andi %xb, %sign_mask : i32
  %wb = arith.bitcast %w : f32 to i32
  %sw = arith.xori %wb, %sign : i32
  %w2 = arith.bitcast %sw : i32 to f32
  %finite = arith.cmpf olt, %a, %infinity : f32
  %y = arith.select %finite, %w2, %nan : f32
  return %y : f32
}

// As sin, a quadrant further.
func.func @cos_f32(%x: f32) -> f32 {
  %half = arith.constant 2305843009213693952 : i64
  %l62 = arith.constant 62 : i64
  %scale = arith.constant 0x20C90FDB : f32
  %quarter = arith.constant 0x3F490FDB : f32
  %one = arith.constant 1.0 : f32
  %minus_half = arith.constant -0.5 : f32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %infinity = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %s0 = arith.constant 0xBE2AAAA3 : f32
  %s1 = arith.constant 0x3C0883BC : f32
  %s2 = arith.constant 0xB94CA9FF : f32
  %c0 = arith.constant 0x3D2AAAA5 : f32
  %c1 = arith.constant 0xBAB60614 : f32
  %c2 = arith.constant 0x37CCF406 : f32
  %a = math.absf %x : f32
  %small = arith.cmpf ole, %a, %quarter : f32
  %fixed = func.call @trig_reduce_f32(%x) : (f32) -> i64
  %up = arith.addi %fixed, %half : i64
  %q64 = arith.shrui %up, %l62 : i64
  %q0 = arith.trunci %q64 : i64 to i32
  %back = arith.shli %q64, %l62 : i64
  %rest = arith.subi %fixed, %back : i64
  %restf = arith.sitofp %rest : i64 to f32
  %r0 = arith.mulf %restf, %scale : f32
  %r = arith.select %small, %a, %r0 : f32
  %q1 = arith.select %small, %i0, %q0 : i32
  %q = arith.addi %q1, %i1 : i32
  %t = arith.mulf %r, %r : f32
  %spm1 = arith.mulf %s2, %t : f32
  %sp1 = arith.addf %spm1, %s1 : f32
  %spm0 = arith.mulf %sp1, %t : f32
  %sp0 = arith.addf %spm0, %s0 : f32
  %rt = arith.mulf %r, %t : f32
  %s_rest = arith.mulf %rt, %sp0 : f32
  %sine = arith.addf %r, %s_rest : f32
  %cpm1 = arith.mulf %c2, %t : f32
  %cp1 = arith.addf %cpm1, %c1 : f32
  %cpm0 = arith.mulf %cp1, %t : f32
  %cp0 = arith.addf %cpm0, %c0 : f32
  %tc = arith.mulf %t, %cp0 : f32
  %c1st = arith.addf %tc, %minus_half : f32
  %c2nd = arith.mulf %c1st, %t : f32
  %cosine = arith.addf %c2nd, %one : f32
  %odd_bit = arith.andi %q, %i1 : i32
  %odd = arith.cmpi ne, %odd_bit, %i0 : i32
  %v = arith.select %odd, %cosine, %sine : f32
  %neg_bit = arith.andi %q, %i2 : i32
  %negative = arith.cmpi ne, %neg_bit, %i0 : i32
  %minus_v = arith.negf %v : f32
  %w = arith.select %negative, %minus_v, %v : f32
  %finite = arith.cmpf olt, %a, %infinity : f32
  %y = arith.select %finite, %w, %nan : f32
  return %y : f32
}

// |x| in units of pi/2 as a fixed-point number modulo 4: 2 bits of quadrant, 62 of fraction. The
// mantissa is multiplied by 96 bits of 2/pi, from where its exponent says (Payne and Hanek).
func.func @trig_reduce_f32(%x: f32) -> i64 {
  %magnitude_mask = arith.constant 2147483647 : i32
  %fraction_mask = arith.constant 8388607 : i32
  %implicit = arith.constant 8388608 : i32
  %fraction = arith.constant 23 : i32
  %start = arith.constant 120 : i32
  %i5 = arith.constant 5 : i32
  %i31 = arith.constant 31 : i32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i3 = arith.constant 3 : i32
  %l32 = arith.constant 32 : i64
  %w0 = arith.constant 0 : i32
  %w1 = arith.constant -1560706194 : i32
  %w2 = arith.constant 1313084713 : i32
  %w3 = arith.constant -64530479 : i32
  %w4 = arith.constant -181084736 : i32
  %w5 = arith.constant -614296167 : i32
  %w6 = arith.constant 1011060801 : i32
  %w7 = arith.constant -28220501 : i32
  %i4 = arith.constant 4 : i32
  %low_mask = arith.constant 4294967295 : i64
  %xb = arith.bitcast %x : f32 to i32
  %ab = arith.andi %xb, %magnitude_mask : i32
  %e = arith.shrui %ab, %fraction : i32
  %mf = arith.andi %ab, %fraction_mask : i32
  %mi = arith.ori %mf, %implicit : i32
  %m = arith.extui %mi : i32 to i64
  %p0 = arith.subi %e, %start : i32
  %p = arith.maxsi %p0, %i0 : i32
  %w = arith.shrui %p, %i5 : i32
  %shi = arith.andi %p, %i31 : i32
  %sh = arith.extui %shi : i32 to i64
  %is1 = arith.cmpi uge, %w, %i1 : i32
  %is2 = arith.cmpi uge, %w, %i2 : i32
  %is3 = arith.cmpi uge, %w, %i3 : i32
  %is4 = arith.cmpi uge, %w, %i4 : i32
  %t0_1 = arith.select %is1, %w1, %w0 : i32
  %t0_2 = arith.select %is2, %w2, %t0_1 : i32
  %t0_3 = arith.select %is3, %w3, %t0_2 : i32
  %t0_4 = arith.select %is4, %w4, %t0_3 : i32
  %t0 = arith.extui %t0_4 : i32 to i64
  %t1_1 = arith.select %is1, %w2, %w1 : i32
  %t1_2 = arith.select %is2, %w3, %t1_1 : i32
  %t1_3 = arith.select %is3, %w4, %t1_2 : i32
  %t1_4 = arith.select %is4, %w5, %t1_3 : i32
  %t1 = arith.extui %t1_4 : i32 to i64
  %t2_1 = arith.select %is1, %w3, %w2 : i32
  %t2_2 = arith.select %is2, %w4, %t2_1 : i32
  %t2_3 = arith.select %is3, %w5, %t2_2 : i32
  %t2_4 = arith.select %is4, %w6, %t2_3 : i32
  %t2 = arith.extui %t2_4 : i32 to i64
  %t3_1 = arith.select %is1, %w4, %w3 : i32
  %t3_2 = arith.select %is2, %w5, %t3_1 : i32
  %t3_3 = arith.select %is3, %w6, %t3_2 : i32
  %t3_4 = arith.select %is4, %w7, %t3_3 : i32
  %t3 = arith.extui %t3_4 : i32 to i64
  %hi0 = arith.shli %t0, %l32 : i64
  %pair0 = arith.ori %hi0, %t1 : i64
  %moved0 = arith.shli %pair0, %sh : i64
  %v0 = arith.shrui %moved0, %l32 : i64
  %hi1 = arith.shli %t1, %l32 : i64
  %pair1 = arith.ori %hi1, %t2 : i64
  %moved1 = arith.shli %pair1, %sh : i64
  %v1 = arith.shrui %moved1, %l32 : i64
  %hi2 = arith.shli %t2, %l32 : i64
  %pair2 = arith.ori %hi2, %t3 : i64
  %moved2 = arith.shli %pair2, %sh : i64
  %v2 = arith.shrui %moved2, %l32 : i64
  %low = arith.muli %m, %v2 : i64
  %carry1 = arith.shrui %low, %l32 : i64
  %mid0 = arith.muli %m, %v1 : i64
  %mid = arith.addi %mid0, %carry1 : i64
  %carry2 = arith.shrui %mid, %l32 : i64
  %high0 = arith.muli %m, %v0 : i64
  %high = arith.addi %high0, %carry2 : i64
  %top = arith.shli %high, %l32 : i64
  %bottom = arith.andi %mid, %low_mask : i64
  %y = arith.ori %top, %bottom : i64
  return %y : i64
}

func.func @atan_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %y = func.call @atan2_f32(%x, %one) : (f32, f32) -> f32
  return %y : f32
}

// atan of the smaller coordinate over the larger one, z + z^3 a(z^2), then moved to the octant. 0 / 0 and
// infinity / infinity count as 0 and 1.
func.func @atan2_f32(%y: f32, %x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half_pi = arith.constant 0x3FC90FDB : f32
  %pi = arith.constant 0x40490FDB : f32
  %i0 = arith.constant 0 : i32
  %a0 = arith.constant 0xBEAAAA6E : f32
  %a1 = arith.constant 0x3E4CBC76 : f32
  %a2 = arith.constant 0xBE11854A : f32
  %a3 = arith.constant 0x3DDA6F5B : f32
  %a4 = arith.constant 0xBD9AA881 : f32
  %a5 = arith.constant 0x3D30F7B8 : f32
  %a6 = arith.constant 0xBC860CAF : f32
  %a7 = arith.constant 0x3B3F5592 : f32
  %ax = math.absf %x : f32
  %ay = math.absf %y : f32
  %steep = arith.cmpf ogt, %ay, %ax : f32
  %large = arith.select %steep, %ay, %ax : f32
  %small = arith.select %steep, %ax, %ay : f32
  %z0 = arith.divf %small, %large : f32
  %equal = arith.cmpf oeq, %small, %large : f32
  %none = arith.cmpf oeq, %large, %zero : f32
  %z1 = arith.select %equal, %one, %z0 : f32
  %z = arith.select %none, %zero, %z1 : f32
  %t = arith.mulf %z, %z : f32
  %hm6 = arith.mulf %a7, %t : f32
  %h6 = arith.addf %hm6, %a6 : f32
  %hm5 = arith.mulf %h6, %t : f32
  %h5 = arith.addf %hm5, %a5 : f32
  %hm4 = arith.mulf %h5, %t : f32
  %h4 = arith.addf %hm4, %a4 : f32
  %hm3 = arith.mulf %h4, %t : f32
  %h3 = arith.addf %hm3, %a3 : f32
  %hm2 = arith.mulf %h3, %t : f32
  %h2 = arith.addf %hm2, %a2 : f32
  %hm1 = arith.mulf %h2, %t : f32
  %h1 = arith.addf %hm1, %a1 : f32
  %hm0 = arith.mulf %h1, %t : f32
  %h0 = arith.addf %hm0, %a0 : f32
  %zt = arith.mulf %z, %t : f32
  %zr = arith.mulf %zt, %h0 : f32
  %r = arith.addf %z, %zr : f32
  %r1 = arith.subf %half_pi, %r : f32
  %r2 = arith.select %steep, %r1, %r : f32
  %xb = arith.bitcast %x : f32 to i32
  %left = arith.cmpi slt, %xb, %i0 : i32
  %r3 = arith.subf %pi, %r2 : f32
  %r4 = arith.select %left, %r3, %r2 : f32
  %unordered = arith.cmpf uno, %x, %y : f32
  %nan = arith.addf %x, %y : f32
  %s = func.call @copysign_f32(%r4, %y) : (f32, f32) -> f32
  %result = arith.select %unordered, %nan, %s : f32
  return %result : f32
}

func.func @floor_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %r = func.call @roundeven_f32(%x) : (f32) -> f32
  %wrong = arith.cmpf ogt, %r, %x : f32
  %next = arith.subf %r, %one : f32
  %v = arith.select %wrong, %next, %r : f32
  %y = func.call @copysign_f32(%v, %x) : (f32, f32) -> f32
  return %y : f32
}

func.func @ceil_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %r = func.call @roundeven_f32(%x) : (f32) -> f32
  %wrong = arith.cmpf olt, %r, %x : f32
  %next = arith.addf %r, %one : f32
  %v = arith.select %wrong, %next, %r : f32
  %y = func.call @copysign_f32(%v, %x) : (f32, f32) -> f32
  return %y : f32
}

func.func @trunc_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %a = math.absf %x : f32
  %r = func.call @roundeven_f32(%a) : (f32) -> f32
  %wrong = arith.cmpf ogt, %r, %a : f32
  %next = arith.subf %r, %one : f32
  %v = arith.select %wrong, %next, %r : f32
  %y = func.call @copysign_f32(%v, %x) : (f32, f32) -> f32
  return %y : f32
}

// Halves away from zero.
func.func @round_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %a = math.absf %x : f32
  %t = func.call @trunc_f32(%a) : (f32) -> f32
  %d = arith.subf %a, %t : f32
  %up = arith.cmpf oge, %d, %half : f32
  %next = arith.addf %t, %one : f32
  %v = arith.select %up, %next, %t : f32
  %y = func.call @copysign_f32(%v, %x) : (f32, f32) -> f32
  return %y : f32
}

// Adding 2^23 to |x| < 2^23 leaves no bits for the fraction: the adder rounds to even.
func.func @roundeven_f32(%x: f32) -> f32 {
  %two23 = arith.constant 8388608.0 : f32
  %a = math.absf %x : f32
  %up = arith.addf %a, %two23 : f32
  %r = arith.subf %up, %two23 : f32
  %small = arith.cmpf olt, %a, %two23 : f32
  %signed = func.call @copysign_f32(%r, %x) : (f32, f32) -> f32
  %y = arith.select %small, %signed, %x : f32
  return %y : f32
}

// x with the sign of s.
func.func @copysign_f32(%x: f32, %s: f32) -> f32 {
  %magnitude_mask = arith.constant 2147483647 : i32
  %sign_mask = arith.constant -2147483648 : i32
  %xb = arith.bitcast %x : f32 to i32
  %sb = arith.bitcast %s : f32 to i32
  %m = arith.andi %xb, %magnitude_mask : i32
  %g = arith.andi %sb, %sign_mask : i32
  %r = arith.ori %m, %g : i32
  %y = arith.bitcast %r : i32 to f32
  return %y : f32
}

// C's fmod, exact: mantissas are integers, so the remainder is mx 2^k mod my, and 2^k mod my comes from
// repeated squaring of 24-bit numbers.
func.func @remf_f32(%x: f32, %y: f32) -> f32 {
  %magnitude_mask = arith.constant 2147483647 : i32
  %fraction_mask = arith.constant 8388607 : i32
  %implicit = arith.constant 8388608 : i32
  %fraction = arith.constant 23 : i32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i5 = arith.constant 5 : i32
  %i31 = arith.constant 31 : i32
  %l1 = arith.constant 1 : i64
  %bit4 = arith.constant 16 : i32
  %bit3 = arith.constant 8 : i32
  %bit2 = arith.constant 4 : i32
  %bit1 = arith.constant 2 : i32
  %bit0 = arith.constant 1 : i32
  %down = arith.constant 150 : i32
  %bias = arith.constant 127 : i32
  %infinity = arith.constant 2139095040 : i32
  %nan = arith.constant 0x7FC00000 : f32
  %xb = arith.bitcast %x : f32 to i32
  %xa = arith.andi %xb, %magnitude_mask : i32
  %xe0 = arith.shrui %xa, %fraction : i32
  %xf = arith.andi %xa, %fraction_mask : i32
  %xnormal = arith.cmpi ne, %xe0, %i0 : i32
  %xi = arith.ori %xf, %implicit : i32
  %xm = arith.select %xnormal, %xi, %xf : i32
  %xe = arith.select %xnormal, %xe0, %i1 : i32
  %yb = arith.bitcast %y : f32 to i32
  %ya = arith.andi %yb, %magnitude_mask : i32
  %ye0 = arith.shrui %ya, %fraction : i32
  %yf = arith.andi %ya, %fraction_mask : i32
  %ynormal = arith.cmpi ne, %ye0, %i0 : i32
  %yi = arith.ori %yf, %implicit : i32
  %ym = arith.select %ynormal, %yi, %yf : i32
  %ye = arith.select %ynormal, %ye0, %i1 : i32
  %k0 = arith.subi %xe, %ye : i32
  %k = arith.maxsi %k0, %i0 : i32
  %mx = arith.extui %xm : i32 to i64
  %my0 = arith.extui %ym : i32 to i64
  %my = arith.maxui %my0, %l1 : i64
  %k_top = arith.shrui %k, %i5 : i32
  %k_top64 = arith.extui %k_top : i32 to i64
  %p_start = arith.shli %l1, %k_top64 : i64
  %p5 = arith.remui %p_start, %my : i64
  %sq4 = arith.muli %p5, %p5 : i64
  %sm4 = arith.remui %sq4, %my : i64
  %has4 = arith.andi %k, %bit4 : i32
  %is4 = arith.cmpi ne, %has4, %i0 : i32
  %db4 = arith.addi %sm4, %sm4 : i64
  %ov4 = arith.cmpi uge, %db4, %my : i64
  %dr4 = arith.subi %db4, %my : i64
  %dm4 = arith.select %ov4, %dr4, %db4 : i64
  %p4 = arith.select %is4, %dm4, %sm4 : i64
  %sq3 = arith.muli %p4, %p4 : i64
  %sm3 = arith.remui %sq3, %my : i64
  %has3 = arith.andi %k, %bit3 : i32
  %is3 = arith.cmpi ne, %has3, %i0 : i32
  %db3 = arith.addi %sm3, %sm3 : i64
  %ov3 = arith.cmpi uge, %db3, %my : i64
  %dr3 = arith.subi %db3, %my : i64
  %dm3 = arith.select %ov3, %dr3, %db3 : i64
  %p3 = arith.select %is3, %dm3, %sm3 : i64
  %sq2 = arith.muli %p3, %p3 : i64
  %sm2 = arith.remui %sq2, %my : i64
  %has2 = arith.andi %k, %bit2 : i32
  %is2 = arith.cmpi ne, %has2, %i0 : i32
  %db2 = arith.addi %sm2, %sm2 : i64
  %ov2 = arith.cmpi uge, %db2, %my : i64
  %dr2 = arith.subi %db2, %my : i64
  %dm2 = arith.select %ov2, %dr2, %db2 : i64
  %p2 = arith.select %is2, %dm2, %sm2 : i64
  %sq1 = arith.muli %p2, %p2 : i64
  %sm1 = arith.remui %sq1, %my : i64
  %has1 = arith.andi %k, %bit1 : i32
  %is1 = arith.cmpi ne, %has1, %i0 : i32
  %db1 = arith.addi %sm1, %sm1 : i64
  %ov1 = arith.cmpi uge, %db1, %my : i64
  %dr1 = arith.subi %db1, %my : i64
  %dm1 = arith.select %ov1, %dr1, %db1 : i64
  %p1 = arith.select %is1, %dm1, %sm1 : i64
  %sq0 = arith.muli %p1, %p1 : i64
  %sm0 = arith.remui %sq0, %my : i64
  %has0 = arith.andi %k, %bit0 : i32
  %is0 = arith.cmpi ne, %has0, %i0 : i32
  %db0 = arith.addi %sm0, %sm0 : i64
  %ov0 = arith.cmpi uge, %db0, %my : i64
  %dr0 = arith.subi %db0, %my : i64
  %dm0 = arith.select %ov0, %dr0, %db0 : i64
  %p0 = arith.select %is0, %dm0, %sm0 : i64
  %product = arith.muli %mx, %p0 : i64
  %rest = arith.remui %product, %my : i64
  %rest32 = arith.trunci %rest : i64 to i32
  %restf = arith.uitofp %rest32 : i32 to f32
  %s = arith.subi %ye, %down : i32
  %s1 = arith.shrsi %s, %i1 : i32
  %s2 = arith.subi %s, %s1 : i32
  %se1 = arith.addi %s1, %bias : i32
  %sb1 = arith.shli %se1, %fraction : i32
  %sf1 = arith.bitcast %sb1 : i32 to f32
  %se2 = arith.addi %s2, %bias : i32
  %sb2 = arith.shli %se2, %fraction : i32
  %sf2 = arith.bitcast %sb2 : i32 to f32
  %r1 = arith.mulf %restf, %sf1 : f32
  %r2 = arith.mulf %r1, %sf2 : f32
  %r = func.call @copysign_f32(%r2, %x) : (f32, f32) -> f32
  %below = arith.cmpi ult, %xa, %ya : i32
  %v = arith.select %below, %x, %r : f32
  %x_bad = arith.cmpi uge, %xa, %infinity : i32
  %y_nan = arith.cmpi ugt, %ya, %infinity : i32
  %y_zero = arith.cmpi eq, %ya, %i0 : i32
  %b1 = arith.ori %x_bad, %y_nan : i1
  %bad = arith.ori %b1, %y_zero : i1
  %result = arith.select %bad, %nan, %v : f32
  return %result : f32
}

// The roundings in f64: quotients of integers are computed there.

func.func @floor_f64(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %r = func.call @roundeven_f64(%x) : (f64) -> f64
  %wrong = arith.cmpf ogt, %r, %x : f64
  %next = arith.subf %r, %one : f64
  %v = arith.select %wrong, %next, %r : f64
  %y = func.call @copysign_f64(%v, %x) : (f64, f64) -> f64
  return %y : f64
}

func.func @ceil_f64(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %r = func.call @roundeven_f64(%x) : (f64) -> f64
  %wrong = arith.cmpf olt, %r, %x : f64
  %next = arith.addf %r, %one : f64
  %v = arith.select %wrong, %next, %r : f64
  %y = func.call @copysign_f64(%v, %x) : (f64, f64) -> f64
  return %y : f64
}

func.func @trunc_f64(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %a = math.absf %x : f64
  %r = func.call @roundeven_f64(%a) : (f64) -> f64
  %wrong = arith.cmpf ogt, %r, %a : f64
  %next = arith.subf %r, %one : f64
  %v = arith.select %wrong, %next, %r : f64
  %y = func.call @copysign_f64(%v, %x) : (f64, f64) -> f64
  return %y : f64
}

// Halves away from zero.
func.func @round_f64(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  %a = math.absf %x : f64
  %t = func.call @trunc_f64(%a) : (f64) -> f64
  %d = arith.subf %a, %t : f64
  %up = arith.cmpf oge, %d, %half : f64
  %next = arith.addf %t, %one : f64
  %v = arith.select %up, %next, %t : f64
  %y = func.call @copysign_f64(%v, %x) : (f64, f64) -> f64
  return %y : f64
}

// Adding 2^52 to |x| < 2^52 leaves no bits for the fraction: the adder rounds to even.
func.func @roundeven_f64(%x: f64) -> f64 {
  %two52 = arith.constant 4503599627370496.0 : f64
  %a = math.absf %x : f64
  %up = arith.addf %a, %two52 : f64
  %r = arith.subf %up, %two52 : f64
  %small = arith.cmpf olt, %a, %two52 : f64
  %signed = func.call @copysign_f64(%r, %x) : (f64, f64) -> f64
  %y = arith.select %small, %signed, %x : f64
  return %y : f64
}

// x with the sign of s.
func.func @copysign_f64(%x: f64, %s: f64) -> f64 {
  %magnitude_mask = arith.constant 9223372036854775807 : i64
  %sign_mask = arith.constant -9223372036854775808 : i64
  %xb = arith.bitcast %x : f64 to i64
  %sb = arith.bitcast %s : f64 to i64
  %m = arith.andi %xb, %magnitude_mask : i64
  %g = arith.andi %sb, %sign_mask : i64
  %r = arith.ori %m, %g : i64
  %y = arith.bitcast %r : i64 to f64
  return %y : f64
}
