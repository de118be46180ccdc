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
  %high = arith.constant 89.0 : f32
  %low = arith.constant -104.0 : f32
  %log2e = arith.constant 0x3FB8AA3B : f32
  %ln2_high = arith.constant 0x3F318000 : f32
  %ln2_low = arith.constant 0xB95E8083 : f32
  %magic = arith.constant 12582912.0 : f32
  %magic_bits = arith.constant 0x4B400000 : i32
  %c0 = arith.constant 0x3EFFFEFC : f32
  %c1 = arith.constant 0x3E2AABD8 : f32
  %c2 = arith.constant 0x3D2B95FC : f32
  %c3 = arith.constant 0x3C08322B : f32
  %i1 = arith.constant 1 : i32
  %bias = arith.constant 127 : i32
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
  %p1 = arith.mulf %nf, %ln2_high : f32
  %r1 = arith.subf %x2, %p1 : f32
  %p2 = arith.mulf %nf, %ln2_low : f32
  %r = arith.subf %r1, %p2 : f32
  %q3 = arith.mulf %c3, %r : f32
  %q2 = arith.addf %q3, %c2 : f32
  %q2r = arith.mulf %q2, %r : f32
  %q1 = arith.addf %q2r, %c1 : f32
  %q1r = arith.mulf %q1, %r : f32
  %q = arith.addf %q1r, %c0 : f32
  %r2 = arith.mulf %r, %r : f32
  %s = arith.mulf %r2, %q : f32
  %u = arith.addf %r, %s : f32
  %p = arith.addf %u, %one : f32
  %n1 = arith.shrsi %n, %i1 : i32
  %n2 = arith.subi %n, %n1 : i32
  %e1 = arith.addi %n1, %bias : i32
  %e2 = arith.addi %n2, %bias : i32
  %b1 = arith.shli %e1, %fraction : i32
  %b2 = arith.shli %e2, %fraction : i32
  %f1 = arith.bitcast %b1 : i32 to f32
  %f2 = arith.bitcast %b2 : i32 to f32
  %y1 = arith.mulf %p, %f1 : f32
  %y = arith.mulf %y1, %f2 : f32
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

// Both units exist anyway, and the result is within 1 ulp for every argument, zeros, subnormals and infinity too.
func.func @rsqrt_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %root = math.sqrt %x : f32
  %y = arith.divf %one, %root : f32
  return %y : f32
}
