// Sine, cosine and arc tangent. Part of the library of functions (src/mlir/expand.c).

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
  %s = func.call @with_sign_f32(%r4, %y) : (f32, f32) -> f32
  %result = arith.select %unordered, %nan, %s : f32
  return %result : f32
}
