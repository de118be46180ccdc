// Newton's method until two steps agree or 20 are made: floats and a count carried by a while, results
// that are not what the condition hands on unchanged, and a condition of two parts.
func.func @newton(%a: memref<6xf32>, %root: memref<6xf32>, %steps: memref<6xi32>) {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %zero = arith.constant 0 : i32
  %next = arith.constant 1 : i32
  %most = arith.constant 20 : i32
  affine.for %i = 0 to 6 {
    %v = affine.load %a[%i] : memref<6xf32>
    %square = arith.mulf %v, %v : f32
    %r:2 = scf.while (%x = %one, %n = %zero) : (f32, i32) -> (f32, i32) {
      %q = arith.divf %square, %x : f32
      %s = arith.addf %x, %q : f32
      %better = arith.mulf %s, %half : f32
      %moved = arith.cmpf une, %better, %x : f32
      %short = arith.cmpi slt, %n, %most : i32
      %more = arith.andi %moved, %short : i1
      scf.condition(%more) %better, %n : f32, i32
    } do {
    ^bb0(%x: f32, %n: i32):
      %m = arith.addi %n, %next : i32
      scf.yield %x, %m : f32, i32
    }
    affine.store %r#0, %root[%i] : memref<6xf32>
    affine.store %r#1, %steps[%i] : memref<6xi32>
  }
  return
}
