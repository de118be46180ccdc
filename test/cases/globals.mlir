// A weight written in five ways is one weight; a global that is stored to starts each run afresh.
// RUN: %tepal build %s -o %t --check --parallel 4
// RUN: %tepal sim %t --simulator icarus --runs 3
memref.global "private" constant @list : memref<2x2xf32> = dense<[[1.5, 2.0], [3.0, -4.25]]>
memref.global "private" @plain : memref<2x2xf32> = dense<[[1.5, 2.0], [3.0, -4.25]]>
memref.global "private" constant @hex : memref<2x2xf32> = dense<"0x0000C03F0000004000004040000088C0">
memref.global "private" constant @splat : memref<2x2xf32> = dense<0.75>
memref.global "private" constant @resource : memref<2x2xf32> = dense_resource<blob>
memref.global "private" @state : memref<2x2xf32> = dense<[[10.0, 20.0], [30.0, 40.0]]>
func.func @main(%x: memref<2x2xf32> {tepal.name = "x"}, %y: memref<5x2x2xf32> {tepal.name = "y", tepal.output},
                %z: memref<2x2xf32> {tepal.name = "z", tepal.output}) {
  %list = memref.get_global @list : memref<2x2xf32>
  %plain = memref.get_global @plain : memref<2x2xf32>
  %hex = memref.get_global @hex : memref<2x2xf32>
  %splat = memref.get_global @splat : memref<2x2xf32>
  %resource = memref.get_global @resource : memref<2x2xf32>
  %state = memref.get_global @state : memref<2x2xf32>
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 2 {
      %a = affine.load %x[%i, %j] : memref<2x2xf32>
      %w0 = affine.load %list[%i, %j] : memref<2x2xf32>
      %w1 = affine.load %plain[%i, %j] : memref<2x2xf32>
      %w2 = affine.load %hex[%i, %j] : memref<2x2xf32>
      %w3 = affine.load %splat[%i, %j] : memref<2x2xf32>
      %w4 = affine.load %resource[%i, %j] : memref<2x2xf32>
      %p0 = arith.mulf %a, %w0 : f32
      %p1 = arith.mulf %a, %w1 : f32
      %p2 = arith.mulf %a, %w2 : f32
      %p3 = arith.mulf %a, %w3 : f32
      %p4 = arith.mulf %a, %w4 : f32
      affine.store %p0, %y[0, %i, %j] : memref<5x2x2xf32>
      affine.store %p1, %y[1, %i, %j] : memref<5x2x2xf32>
      affine.store %p2, %y[2, %i, %j] : memref<5x2x2xf32>
      affine.store %p3, %y[3, %i, %j] : memref<5x2x2xf32>
      affine.store %p4, %y[4, %i, %j] : memref<5x2x2xf32>
      %s = affine.load %state[%i, %j] : memref<2x2xf32>
      %t = arith.addf %s, %a : f32
      affine.store %t, %state[%i, %j] : memref<2x2xf32>
    }
  }
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 2 {
      %s = affine.load %state[%j, %i] : memref<2x2xf32>
      affine.store %s, %z[%i, %j] : memref<2x2xf32>
    }
  }
  return
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000C03F0000004000004040000088C0"
    }
  }
#-}
