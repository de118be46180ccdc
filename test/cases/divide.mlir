// Quotients and remainders of all signs, sixteen in a row and in place; floats in place too.
// RUN: %tepal build %s -o %t --check --parallel 4
// RUN: %tepal sim %t --simulator icarus --input %S/divide.in0.npy %S/divide.in1.npy --expect %S/divide.out0.npy %S/divide.out1.npy
// RUN: sed -e 's/divsi/divf/; s/remsi/divf/; s/i32/f32/g' %s >%t.mlir
// RUN: %tepal build %t.mlir -o %t --check --parallel 4
// RUN: %tepal sim %t --simulator icarus --runs 3
func.func @main(%n: memref<16xi32> {tepal.name = "n"}, %d: memref<16xi32> {tepal.name = "d"},
                %q: memref<16xi32> {tepal.name = "q", tepal.output}, %r: memref<16xi32> {tepal.name = "r", tepal.output}) {
  affine.for %i = 0 to 16 {
    %a = affine.load %n[%i] : memref<16xi32>
    affine.store %a, %q[%i] : memref<16xi32>
    affine.store %a, %r[%i] : memref<16xi32>
  }
  affine.for %i = 0 to 16 {
    %a = affine.load %q[%i] : memref<16xi32>
    %b = affine.load %d[%i] : memref<16xi32>
    %c = arith.divsi %a, %b : i32
    affine.store %c, %q[%i] : memref<16xi32>
  }
  affine.for %i = 0 to 16 {
    %a = affine.load %r[%i] : memref<16xi32>
    %b = affine.load %d[%i] : memref<16xi32>
    %c = arith.remsi %a, %b : i32
    affine.store %c, %r[%i] : memref<16xi32>
  }
  return
}
