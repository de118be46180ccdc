// A while in a loop: Euclid's algorithm on eight pairs.
func.func @gcd(%a: memref<8xi32>, %b: memref<8xi32>, %out: memref<8xi32>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xi32>
    %y = affine.load %b[%i] : memref<8xi32>
    %r:2 = scf.while (%p = %x, %q = %y) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi ne, %q, %zero : i32
      scf.condition(%more) %p, %q : i32, i32
    } do {
    ^bb0(%p: i32, %q: i32):
      %rest = arith.remsi %p, %q : i32
      scf.yield %q, %rest : i32, i32
    }
    affine.store %r#0, %out[%i] : memref<8xi32>
  }
  return
}
