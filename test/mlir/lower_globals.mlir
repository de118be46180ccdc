// Weights in every form become constants (the splat even a number); a global that is written becomes a memory that starts as it does.
// RUN: %tepal opt %s --tepal-lower-to-affine -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: %tepal run %s | FileCheck %s --check-prefix=VALUE
// RUN: %tepal run %t.mlir | FileCheck %s --check-prefix=VALUE

// CHECK-NOT: dense_resource
// CHECK-COUNT-5: memref.global "private" constant
// CHECK-NOT: memref.global
memref.global "private" @list : memref<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]>
memref.global "private" constant @splat : memref<2x2xf32> = dense<10.0>
memref.global "private" constant @hex : memref<2x2xf32> = dense<"0x0000C8420000484300009643000000C8"> {alignment = 64 : i64}
memref.global "private" @resource : memref<2x2xf32> = dense_resource<weight>
memref.global "private" constant @bits : memref<4xi1> = dense_resource<bits>
memref.global "private" @state : memref<2xf32> = dense<[1000.0, 2000.0]>
memref.global "private" constant @unused : memref<2xf32> = dense<0.0>

// VALUE: out0: 112.25 215.5 317.75 -131057
// VALUE: out1: 1112.25 2317.75
// VALUE: out2: 1 0 0 1
func.func @forward() -> (memref<2x2xf32>, memref<2xf32>, memref<4xi1>) {
  %a = memref.get_global @list : memref<2x2xf32>
  %b = memref.get_global @splat : memref<2x2xf32>
  %c = memref.get_global @hex : memref<2x2xf32>
  %d = memref.get_global @resource : memref<2x2xf32>
  %e = memref.get_global @bits : memref<4xi1>
  %s = memref.get_global @state : memref<2xf32>
  %r = memref.alloc() : memref<2x2xf32>
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 2 {
      %0 = affine.load %a[%i, %j] : memref<2x2xf32>
      %1 = affine.load %b[%i, %j] : memref<2x2xf32>
      %2 = affine.load %c[%i, %j] : memref<2x2xf32>
      %3 = affine.load %d[%i, %j] : memref<2x2xf32>
      %4 = arith.addf %0, %1 : f32
      %5 = arith.addf %4, %2 : f32
      %6 = arith.addf %5, %3 : f32
      affine.store %6, %r[%i, %j] : memref<2x2xf32>
    }
    func.call @accumulate(%r, %i) : (memref<2x2xf32>, index) -> ()
  }
  return %r, %s, %e : memref<2x2xf32>, memref<2xf32>, memref<4xi1>
}
func.func private @accumulate(%r: memref<2x2xf32>, %i: index) {
  %s = memref.get_global @state : memref<2xf32>
  %a = memref.get_global @list : memref<2x2xf32>
  %0 = memref.load %r[%i, %i] : memref<2x2xf32>
  %c0 = arith.constant 0 : index
  %1 = memref.load %r[%i, %c0] : memref<2x2xf32>
  %2 = memref.load %s[%i] : memref<2xf32>
  %3 = arith.addf %1, %2 : f32
  %4 = affine.load %a[0, 0] : memref<2x2xf32>
  %isone = arith.cmpi eq, %i, %c0 : index
  %5 = arith.select %isone, %3, %3 : f32
  memref.store %5, %s[%i] : memref<2xf32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000A03F00006040000098400000803F",
      bits: "0x0100000001000001"
    }
  }
#-}
