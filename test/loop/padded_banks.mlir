// Copies that span a whole row still know their subscripts, so that the rows of the padded image become banks.
// RUN: %tepal build %s -o %t.design --parallel 4 --check --emit=loops=%t.loops
// RUN: FileCheck %s <%t.loops
// CHECK:     memory local {{[a-z]+}}_bank3
// CHECK-NOT: memory local {{[a-z]+}} :
func.func @forward(%x: memref<5x4xf32> {tepal.name = "x"}, %y: memref<5x4xf32> {tepal.name = "y", tepal.output}) {
  %zero = arith.constant 0.0 : f32
  %image = memref.alloc() : memref<5x4xf32>
  affine.for %h = 0 to 5 {
    affine.for %w = 0 to 4 {
      %a = affine.load %x[4 - %h, %w] : memref<5x4xf32>
      %b = arith.addf %a, %a : f32
      affine.store %b, %image[%h, %w] : memref<5x4xf32>
    }
  }
  affine.for %h = 0 to 5 {
    affine.for %w = 0 to 4 {
      affine.store %zero, %y[%h, %w] : memref<5x4xf32>
      affine.for %k = 0 to 3 {
        affine.if affine_set<(w, k) : (w + k - 1 >= 0, 4 - w - k >= 0)>(%w, %k) {
          %a = affine.load %image[%h, %w + %k - 1] : memref<5x4xf32>
          %b = affine.load %y[%h, %w] : memref<5x4xf32>
          %c = arith.addf %a, %b : f32
          affine.store %c, %y[%h, %w] : memref<5x4xf32>
        }
      }
    }
  }
  return
}
