// A sum in a scalar, as C programs write it: the scalar gets an element for each output, so that the outputs' sums
// interleave, here those of a row; where there is no term the sum stays what it is.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// CHECK:      memory local [[SUM:[a-z_0-9]+]] : f32[16]
// CHECK:      nest {{[a-z_0-9]+}} (i 8, k 3, l 3, j 16) {
// CHECK:      [[OLD:%[0-9]+]] = load [[SUM]][j] : f32{{$}}
// CHECK:      [[NOW:%[0-9]+]] = select {{%[0-9]+}}, {{%[0-9]+}}, [[OLD]] : f32
// CHECK:      [[NEXT:%[0-9]+]] = addf [[NOW]]
// CHECK:      [[KEPT:%[0-9]+]] = select {{%[0-9]+}}, [[NEXT]], [[NOW]] : f32
// CHECK-NOT:  select
// CHECK:      store [[KEPT]], y[16*i + j] : f32 if
// CHECK:      store [[KEPT]], [[SUM]][j] : f32{{$}}
// CHECK:      II 1,
#inside = affine_set<(h, w, a, b) : (h + a - 1 >= 0, 8 - h - a >= 0, w + b - 1 >= 0, 16 - w - b >= 0)>
func.func @forward(%x: memref<8x16xf32> {tepal.name = "x"}, %w: memref<3x3xf32> {tepal.name = "w"},
                   %y: memref<8x16xf32> {tepal.name = "y", tepal.output}) {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<1xf32>
  affine.for %oh = 0 to 8 {
    affine.for %ow = 0 to 16 {
      affine.store %zero, %sum[0] : memref<1xf32>
      affine.for %kh = 0 to 3 {
        affine.for %kw = 0 to 3 {
          affine.if #inside(%oh, %ow, %kh, %kw) {
            %a = affine.load %x[%oh + %kh - 1, %ow + %kw - 1] : memref<8x16xf32>
            %b = affine.load %w[%kh, %kw] : memref<3x3xf32>
            %c = arith.mulf %a, %b : f32
            %s = affine.load %sum[0] : memref<1xf32>
            %t = arith.addf %s, %c : f32
            affine.store %t, %sum[0] : memref<1xf32>
          }
        }
      }
      %r = affine.load %sum[0] : memref<1xf32>
      affine.store %r, %y[%oh, %ow] : memref<8x16xf32>
    }
  }
  return
}
