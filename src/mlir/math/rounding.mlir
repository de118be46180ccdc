// Roundings to integers, signs and remainders. Part of the library of functions (src/mlir/expand.c).

func.func @floor_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %r = func.call @roundeven_f32(%x) : (f32) -> f32
  %wrong = arith.cmpf ogt, %r, %x : f32
  %next = arith.subf %r, %one : f32
  %v = arith.select %wrong, %next, %r : f32
  %y = func.call @with_sign_f32(%v, %x) : (f32, f32) -> f32
  return %y : f32
}

func.func @ceil_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %r = func.call @roundeven_f32(%x) : (f32) -> f32
  %wrong = arith.cmpf olt, %r, %x : f32
  %next = arith.addf %r, %one : f32
  %v = arith.select %wrong, %next, %r : f32
  %y = func.call @with_sign_f32(%v, %x) : (f32, f32) -> f32
  return %y : f32
}

func.func @trunc_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %a = math.absf %x : f32
  %r = func.call @roundeven_f32(%a) : (f32) -> f32
  %wrong = arith.cmpf ogt, %r, %a : f32
  %next = arith.subf %r, %one : f32
  %v = arith.select %wrong, %next, %r : f32
  %y = func.call @with_sign_f32(%v, %x) : (f32, f32) -> f32
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
  %y = func.call @with_sign_f32(%v, %x) : (f32, f32) -> f32
  return %y : f32
}

// Adding 2^23 to |x| < 2^23 leaves no bits for the fraction: the adder rounds to even.
func.func @roundeven_f32(%x: f32) -> f32 {
  %two23 = arith.constant 8388608.0 : f32
  %a = math.absf %x : f32
  %up = arith.addf %a, %two23 : f32
  %r = arith.subf %up, %two23 : f32
  %small = arith.cmpf olt, %a, %two23 : f32
  %signed = func.call @with_sign_f32(%r, %x) : (f32, f32) -> f32
  %y = arith.select %small, %signed, %x : f32
  return %y : f32
}

// x with the sign of s.
func.func @with_sign_f32(%x: f32, %s: f32) -> f32 {
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

// The same, but NaN counts as positive: which sign it has is not known.
func.func @copysign_f32(%x: f32, %s: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %is_nan = arith.cmpf uno, %s, %s : f32
  %known = arith.select %is_nan, %zero, %s : f32
  %y = func.call @with_sign_f32(%x, %known) : (f32, f32) -> f32
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
  %r = func.call @with_sign_f32(%r2, %x) : (f32, f32) -> f32
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
  %y = func.call @with_sign_f64(%v, %x) : (f64, f64) -> f64
  return %y : f64
}

func.func @ceil_f64(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %r = func.call @roundeven_f64(%x) : (f64) -> f64
  %wrong = arith.cmpf olt, %r, %x : f64
  %next = arith.addf %r, %one : f64
  %v = arith.select %wrong, %next, %r : f64
  %y = func.call @with_sign_f64(%v, %x) : (f64, f64) -> f64
  return %y : f64
}

func.func @trunc_f64(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %a = math.absf %x : f64
  %r = func.call @roundeven_f64(%a) : (f64) -> f64
  %wrong = arith.cmpf ogt, %r, %a : f64
  %next = arith.subf %r, %one : f64
  %v = arith.select %wrong, %next, %r : f64
  %y = func.call @with_sign_f64(%v, %x) : (f64, f64) -> f64
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
  %y = func.call @with_sign_f64(%v, %x) : (f64, f64) -> f64
  return %y : f64
}

// Adding 2^52 to |x| < 2^52 leaves no bits for the fraction: the adder rounds to even.
func.func @roundeven_f64(%x: f64) -> f64 {
  %two52 = arith.constant 4503599627370496.0 : f64
  %a = math.absf %x : f64
  %up = arith.addf %a, %two52 : f64
  %r = arith.subf %up, %two52 : f64
  %small = arith.cmpf olt, %a, %two52 : f64
  %signed = func.call @with_sign_f64(%r, %x) : (f64, f64) -> f64
  %y = arith.select %small, %signed, %x : f64
  return %y : f64
}

// x with the sign of s.
func.func @with_sign_f64(%x: f64, %s: f64) -> f64 {
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

// The same, but NaN counts as positive: which sign it has is not known.
func.func @copysign_f64(%x: f64, %s: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %is_nan = arith.cmpf uno, %s, %s : f64
  %known = arith.select %is_nan, %zero, %s : f64
  %y = func.call @with_sign_f64(%x, %known) : (f64, f64) -> f64
  return %y : f64
}
