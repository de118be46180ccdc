// A quotient whose operands stay zero from the start on is known from the start on, in every simulator.
// RUN: %tepal build %s -o %t --check --parallel 2
// RUN: %tepal sim %t --simulator icarus
func.func @main(%x: memref<8xbf16> {tepal.name = "x"}, %n: memref<8xi64> {tepal.name = "n"},
                %y: memref<8xbf16> {tepal.name = "y", tepal.output}, %m: memref<8xi64> {tepal.name = "m", tepal.output}) {
  affine.for %i = 0 to 8 {
    %zero = affine.load %y[%i] : memref<8xbf16>
    %a = affine.load %x[%i] : memref<8xbf16>
    %b = arith.divf %zero, %a : bf16
    affine.store %b, %y[%i] : memref<8xbf16>
  }
  affine.for %i = 0 to 8 {
    %zero = affine.load %m[%i] : memref<8xi64>
    %a = affine.load %n[%i] : memref<8xi64>
    %b = arith.muli %zero, %a : i64
    affine.store %b, %m[%i] : memref<8xi64>
  }
  return
}
