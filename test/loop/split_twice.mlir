// A loop that is split twice gets two names: the banks of a tensor of 3 x 5 x 5 that is read in one loop.
// RUN: %tepal build %s -o %t.design --parallel 4 --check
func.func @forward(%x: memref<3x5x5xf32> {tepal.name = "x"}, %y: memref<4x2x3xf32> {tepal.name = "y"},
                   %flat: memref<75xf32> {tepal.name = "flat", tepal.output},
                   %shuffled: memref<4x6xf32> {tepal.name = "shuffled", tepal.output},
                   %picked: memref<10xf32> {tepal.name = "picked", tepal.output}) {
  affine.for %k = 0 to 75 {
    %a = affine.load %x[%k floordiv 25, (%k mod 25) floordiv 5, %k mod 5] : memref<3x5x5xf32>
    affine.store %a, %flat[%k] : memref<75xf32>
  }
  affine.for %h = 0 to 4 {
    affine.for %w = 0 to 6 {
      %a = affine.load %y[(%h mod 2) * 2 + %w mod 2, %h floordiv 2, %w floordiv 2] : memref<4x2x3xf32>
      affine.store %a, %shuffled[%h, %w] : memref<4x6xf32>
    }
  }
  affine.for %k = 0 to 10 {
    %a = affine.load %x[(%k + 4) floordiv 7, %k mod 3, (%k * 3) mod 5] : memref<3x5x5xf32>
    affine.store %a, %picked[%k] : memref<10xf32>
  }
  return
}
