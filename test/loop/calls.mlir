// A net of nested calls: strided arguments, a scalar result, a global in hexadecimal, copies, and positions that go
// through floats. The only public function is the entry.
// RUN: rm -rf %t && %tepal build %s -o %t --check >/dev/null && %tepal sim %t --simulator icarus --runs 3 | FileCheck %s
// RUN: %tepal build %s --top net -o %t --check >/dev/null
// CHECK: all equal
memref.global "private" constant @w : memref<4xf32> = dense<"0x0000803F000000400000404000008040"> {alignment = 64 : i64}
func.func private @inner(%a: memref<4xf32, strided<[?], offset: ?>>, %b: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to 4 {
    %x = affine.load %a[%i] : memref<4xf32, strided<[?], offset: ?>>
    %s = memref.load %b[%c0] : memref<1xf32>
    %t = arith.addf %s, %x : f32
    memref.store %t, %b[%c0] : memref<1xf32>
  }
  return
}
func.func private @middle(%a: memref<3x4xf32>) -> f32 {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %b = memref.alloc() : memref<1xf32>
  memref.store %z, %b[%c0] : memref<1xf32>
  %v = memref.subview %a[1, 0] [1, 4] [1, 1] : memref<3x4xf32> to memref<4xf32, strided<[1], offset: 4>>
  %d = memref.cast %v : memref<4xf32, strided<[1], offset: 4>> to memref<4xf32, strided<[?], offset: ?>>
  func.call @inner(%d, %b) : (memref<4xf32, strided<[?], offset: ?>>, memref<1xf32>) -> ()
  %r = memref.load %b[%c0] : memref<1xf32>
  return %r : f32
}
func.func @net(%x: memref<3x4xf32>) -> (memref<4xf32>, f32) {
  %w = memref.get_global @w : memref<4xf32>
  %o = memref.alloc() : memref<4xf32>
  memref.copy %w, %o : memref<4xf32> to memref<4xf32>
  %s = func.call @middle(%x) : (memref<3x4xf32>) -> f32
  affine.parallel (%i) = (0) to (4) {
    %k = affine.apply affine_map<(d0) -> (3 - d0)>(%i)
    %a = affine.load %o[%i] : memref<4xf32>
    %f = arith.index_cast %k : index to i32
    %g = arith.sitofp %f : i32 to f32
    %p = arith.fptoui %g : f32 to i32
    %q = arith.index_cast %p : i32 to index
    %b = memref.load %w[%q] : memref<4xf32>
    %c = arith.addf %a, %b : f32
    affine.store %c, %o[%i] : memref<4xf32>
  }
  return %o, %s : memref<4xf32>, f32
}
