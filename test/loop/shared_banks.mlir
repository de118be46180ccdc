// A window of stride 2 over an image: 8 copies of it read 16 banks, of which each is needed by one copy at a time. Each
// bank is loaded once, so that neither copies of the image nor a larger II are paid.
// RUN: %tepal build %s -o %t.design --parallel 8 --unroll mac:j=8 --check --emit=loops=%t.loops
// RUN: FileCheck %s <%t.loops
// CHECK-NOT: memory input x_{{.*}}copy
// CHECK:     memory input x_bank15 : f32[12x3]
// CHECK-NOT: memory input x_{{.*}}copy
// CHECK:     nest mac
// CHECK-COUNT-16: load x_bank
// CHECK-NOT: load x_bank
// CHECK:     schedule of mac: II 1
func.func @forward(%x: memref<12x33xf32> {tepal.name = "x"}, %k: memref<3xf32> {tepal.name = "k"}, %y: memref<12x16xf32> {tepal.name = "y", tepal.output}) {
  %zero = arith.constant 0.0 : f32
  affine.for %h = 0 to 12 {
    affine.for %w = 0 to 16 {
      affine.store %zero, %y[%h, %w] : memref<12x16xf32>
    }
  }
  affine.for %h = 0 to 12 {
    affine.for %w = 0 to 16 {
      affine.for %i = 0 to 3 {
        %a = affine.load %x[%h, 2 * %w + %i] : memref<12x33xf32>
        %b = affine.load %k[%i] : memref<3xf32>
        %c = arith.mulf %a, %b : f32
        %d = affine.load %y[%h, %w] : memref<12x16xf32>
        %e = arith.addf %d, %c : f32
        affine.store %e, %y[%h, %w] : memref<12x16xf32>
      }
    }
  }
  return
}
