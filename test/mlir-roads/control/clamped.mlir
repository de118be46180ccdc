// Loaded bounds beyond the memories that the counter indexes: every index is clamped.
func.func @oob(%n: memref<2xi32>, %x: memref<6xf32>, %y: memref<6xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %mask = arith.constant 31 : i32
  affine.for %i = 0 to 2 {
    %l = affine.load %n[%i] : memref<2xi32>
    %m = arith.andi %l, %mask : i32
    %limit = arith.index_cast %m : i32 to index
    scf.for %k = %zero to %limit step %one {
      %v = memref.load %x[%k] : memref<6xf32>
      %j = arith.subi %limit, %k : index
      %o = memref.load %y[%j] : memref<6xf32>
      %s = arith.addf %o, %v : f32
      memref.store %s, %y[%j] : memref<6xf32>
    }
  }
  return
}
