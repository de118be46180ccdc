// Two splits of one loop, which gave two loops one name.
// parallel 8
func.func @main(%m1: memref<16x12xf32> {tepal.name = "m1", tepal.output}, %m2: memref<16x1x9xf32> {tepal.name = "m2", tepal.output}) {
  affine.for %i17 = 0 to 1 {
    affine.for %i18 = 0 to 12 {
      affine.for %i19 = 0 to 1 {
        %v20 = affine.if affine_set<(i) : (i - 1 >= 0)>(%i19) -> f32 {
          %v23 = arith.constant 0.0 : f32
          affine.yield %v23 : f32
        } else {
          %v28 = arith.constant 0.0 : f32
          affine.yield %v28 : f32
        }
        affine.store %v20, %m2[%i19 * 1 + 0, 0, %i19 * 2 + 2] : memref<16x1x9xf32>
      }
      %v37 = affine.load %m1[%i18 * 1 + 4, %i18 * 1 + 0] : memref<16x12xf32>
      %v41 = arith.constant 0.0 : f32
      %v43 = arith.constant false
      %v44 = arith.select %v43, %v41, %v37 : f32
      affine.store %v44, %m1[%i18 * 1 + 4, %i18 * 1 + 0] : memref<16x12xf32>
    }
  }
  return
}
