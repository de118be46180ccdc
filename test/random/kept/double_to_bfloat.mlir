// Rounding from f64 to bf16, for which older C libraries have no function.
// parallel 1
func.func @main(%x: memref<40xf64> {tepal.name = "x"}, %y: memref<40xbf16> {tepal.name = "y", tepal.output}) {
  affine.for %i = 0 to 40 {
    %v = affine.load %x[%i] : memref<40xf64>
    %r = arith.truncf %v : f64 to bf16
    affine.store %r, %y[%i] : memref<40xbf16>
  }
  return
}
