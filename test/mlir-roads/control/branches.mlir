// Loops in both arms of an if, results of an if, a while in an if, and an if without else.
func.func @branches(%mode: memref<4xi32>, %x: memref<4x16xf32>, %y: memref<4x16xf32>,
                    %n: memref<4xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %two = arith.constant 2.0 : f32
  %half = arith.constant 0.5 : f32
  affine.for %i = 0 to 4 {
    %m = affine.load %mode[%i] : memref<4xi32>
    %positive = arith.cmpi sgt, %m, %zero : i32
    %r = scf.if %positive -> (i32) {
      affine.for %j = 0 to 16 {
        %v = affine.load %x[%i, %j] : memref<4x16xf32>
        %w = arith.mulf %v, %two : f32
        affine.store %w, %y[%i, %j] : memref<4x16xf32>
      }
      scf.yield %m : i32
    } else {
      %k = scf.while (%p = %m) : (i32) -> i32 {
        %negative = arith.cmpi slt, %p, %zero : i32
        scf.condition(%negative) %p : i32
      } do {
      ^bb0(%p: i32):
        %next = arith.addi %p, %three : i32
        affine.for %j = 0 to 16 {
          %v = affine.load %y[%i, %j] : memref<4x16xf32>
          %u = affine.load %x[%i, %j] : memref<4x16xf32>
          %t = arith.addf %v, %u : f32
          affine.store %t, %y[%i, %j] : memref<4x16xf32>
        }
        scf.yield %next : i32
      }
      %bit = arith.andi %m, %one : i32
      %odd = arith.cmpi eq, %bit, %one : i32
      scf.if %odd {
        affine.for %j = 0 to 16 {
          %v = affine.load %y[%i, %j] : memref<4x16xf32>
          %w = arith.mulf %v, %half : f32
          affine.store %w, %y[%i, %j] : memref<4x16xf32>
        }
      }
      scf.yield %k : i32
    }
    affine.store %r, %n[%i] : memref<4xi32>
  }
  return
}
