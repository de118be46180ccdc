// Globals of every form of contents; one that is stored to is memory, filled from its contents in every run.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// CHECK-DAG: memory constant list : f32[2x2]
// CHECK-DAG: memory constant flags : i1[10]
// CHECK-DAG: memory constant halves : f16[3]
// CHECK-DAG: memory constant counter : i32[2]
memref.global "private" constant @list : memref<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]>
memref.global "private" constant @splat : memref<3xf32> = dense<0.333333343>
memref.global "private" constant @flags : memref<10xi1> = dense<[1, 0, 0, 1, 1, 0, 1, 0, 0, 1]>
memref.global "private" constant @halves : memref<3xf16> = dense<"0x003C00C0FF7B">
memref.global "private" @counter : memref<2xi32> = dense<[5, 7]>
func.func @forward(%out: memref<2x2xf32> {tepal.name = "out", tepal.output},
                   %chosen: memref<10xf32> {tepal.name = "chosen", tepal.output},
                   %wide: memref<3xf32> {tepal.name = "wide", tepal.output},
                   %counts: memref<2xi32> {tepal.name = "counts", tepal.output}) {
  %list = memref.get_global @list : memref<2x2xf32>
  %splat = memref.get_global @splat : memref<3xf32>
  %flags = memref.get_global @flags : memref<10xi1>
  %small = memref.get_global @halves : memref<3xf16>
  %counter = memref.get_global @counter : memref<2xi32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i32
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 2 {
      %a = affine.load %list[%j, %i] : memref<2x2xf32>
      affine.store %a, %out[%i, %j] : memref<2x2xf32>
    }
  }
  affine.for %i = 0 to 10 {
    %f = affine.load %flags[%i] : memref<10xi1>
    %a = affine.load %splat[%i floordiv 4] : memref<3xf32>
    %b = arith.select %f, %a, %zero : f32
    affine.store %b, %chosen[%i] : memref<10xf32>
  }
  affine.for %i = 0 to 3 {
    %a = affine.load %small[%i] : memref<3xf16>
    %b = arith.extf %a : f16 to f32
    affine.store %b, %wide[%i] : memref<3xf32>
  }
  affine.for %i = 0 to 2 {
    %a = affine.load %counter[%i] : memref<2xi32>
    %b = arith.addi %a, %one : i32
    affine.store %b, %counter[%i] : memref<2xi32>
    %c = affine.load %counter[%i] : memref<2xi32>
    affine.store %c, %counts[%i] : memref<2xi32>
  }
  return
}
