// Branches that store to one element: one store, which always happens, so that it needs no zeros before it.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// CHECK-NOT: nest zero
// CHECK:     [[X:%[0-9]+]] = load x[i]
// CHECK:     [[W:%[0-9]+]] = load w[i]
// CHECK:     [[INNER:%[0-9]+]] = select {{%[0-9]+}}, {{%[0-9]+}}, [[W]] : f32
// CHECK:     [[OUTER:%[0-9]+]] = select {{%[0-9]+}}, [[X]], [[INNER]] : f32
// CHECK:     store [[OUTER]], y[i] : f32{{$}}
// CHECK-NOT: store
// CHECK:     II 1,
#low = affine_set<(i) : (4 - i >= 0)>
func.func @forward(%x: memref<16xf32> {tepal.name = "x"}, %w: memref<16xf32> {tepal.name = "w"},
                   %y: memref<16xf32> {tepal.name = "y", tepal.output}) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 16 {
    affine.if #low(%i) {
      %v = affine.load %x[%i] : memref<16xf32>
      affine.store %v, %y[%i] : memref<16xf32>
    } else {
      %v = affine.load %w[%i] : memref<16xf32>
      %c = arith.cmpf ogt, %v, %zero : f32
      scf.if %c {
        affine.store %zero, %y[%i] : memref<16xf32>
      } else {
        affine.store %v, %y[%i] : memref<16xf32>
      }
    }
  }
  return
}
