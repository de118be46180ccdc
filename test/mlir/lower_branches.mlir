// Branches between blocks become structured control flow.
// RUN: %tepal opt %s --tepal-lower-to-affine -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: %tepal run %s --seed 3 -o %t.reference
// RUN: %tepal run %t.mlir --seed 3 -o %t.affine
// RUN: diff -r %t.reference %t.affine

// CHECK: scf.while
// CHECK-NOT: {{cf\.br|cf\.cond_br|ub\.poison}}
func.func @forward(%x: memref<8xf32>, %y: memref<8xf32> {tepal.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  cf.br ^head(%c0 : index)
^head(%i: index):
  %more = arith.cmpi slt, %i, %c8 : index
  cf.cond_br %more, ^body, ^end
^body:
  %a = memref.load %x[%i] : memref<8xf32>
  %positive = arith.cmpf ogt, %a, %zero : f32
  cf.cond_br %positive, ^keep, ^clear
^keep:
  memref.store %a, %y[%i] : memref<8xf32>
  cf.br ^next
^clear:
  memref.store %zero, %y[%i] : memref<8xf32>
  cf.br ^next
^next:
  %n = arith.addi %i, %c1 : index
  cf.br ^head(%n : index)
^end:
  return
}
