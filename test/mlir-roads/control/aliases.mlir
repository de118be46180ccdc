// Memories that data chooses: what is stored under one name is seen under the other, also through a view, and what no
// run stores to an output is zero whatever the run before left there.
func.func @aliases(%n: memref<1xi32>, %x: memref<2x8xf32>, %a: memref<2x8xf32> {tepal.output},
                   %b: memref<2x8xf32> {tepal.output}, %seen: memref<2xf32> {tepal.output}) {
  %zero = arith.constant 0 : i32
  %number = affine.load %n[0] : memref<1xi32>
  %above = arith.cmpi sgt, %number, %zero : i32
  %below = arith.cmpi slt, %number, %zero : i32
  affine.for %i = 0 to 8 {
    %v = affine.load %x[0, %i] : memref<2x8xf32>
    affine.store %v, %b[1, 7 - %i] : memref<2x8xf32>
  }
  %m = scf.if %above -> memref<2x8xf32> {
    affine.for %i = 0 to 8 {
      %v = affine.load %x[1, %i] : memref<2x8xf32>
      affine.store %v, %b[1, %i] : memref<2x8xf32>
    }
    scf.yield %a : memref<2x8xf32>
  } else {
    scf.yield %b : memref<2x8xf32>
  }
  %source = arith.select %below, %x, %m : memref<2x8xf32>
  %row = memref.subview %m[1, 0] [1, 8] [1, 1]
      : memref<2x8xf32> to memref<8xf32, strided<[1], offset: 8>>
  affine.for %i = 0 to 8 {
    %v = affine.load %source[0, %i] : memref<2x8xf32>
    %u = affine.load %row[%i] : memref<8xf32, strided<[1], offset: 8>>
    %t = arith.addf %u, %v : f32
    affine.store %t, %row[%i] : memref<8xf32, strided<[1], offset: 8>>
  }
  %first = affine.load %b[1, 3] : memref<2x8xf32>
  affine.store %first, %seen[0] : memref<2xf32>
  memref.copy %source, %a : memref<2x8xf32> to memref<2x8xf32>
  %second = affine.load %m[1, 3] : memref<2x8xf32>
  affine.store %second, %seen[1] : memref<2xf32>
  return
}
