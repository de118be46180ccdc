// All that cannot be done is named in one run, with its place.
// RUN: exits 3 %tepal build %s --emit=loops 2>&1 | FileCheck %s

func.func @forward(%n: memref<1xi32> {tepal.name = "n"}, %x: memref<8xf32> {tepal.name = "x"},
                   %out: memref<8xf32> {tepal.name = "out", tepal.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = affine.load %n[0] : memref<1xi32>
  %limit = arith.index_cast %m : i32 to index
  // CHECK: unsupported.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: the bounds of this loop depend on data
  scf.for %i = %c0 to %limit step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    memref.store %a, %out[%i] : memref<8xf32>
  }
  return
}
