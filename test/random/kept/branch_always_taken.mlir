// A branch that is always taken, with branches in the region that is never taken.
// parallel 1
func.func @main(%m0: memref<4xf32> {tepal.name = "m0"}, %m1: memref<4xf32> {tepal.name = "m1", tepal.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %always = arith.cmpi sge, %i, %c0 : index
    %v = memref.load %m0[%i] : memref<4xf32>
    scf.if %always {
      memref.store %v, %m1[%i] : memref<4xf32>
    } else {
      %also = arith.cmpi ult, %i, %c4 : index
      scf.if %also {
        memref.store %v, %m1[%c0] : memref<4xf32>
      } else {
        memref.store %v, %m1[%c1] : memref<4xf32>
      }
    }
  }
  return
}
