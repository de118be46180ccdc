// Buffers that never live together share a memory: a and c; d takes the place of c in the nest that reads that. b lives with
// all of them.
// RUN: split-file %s %t
// RUN: %tepal build %t/chain.mlir --check --emit=loops | FileCheck %s --check-prefix=CHAIN
// RUN: %tepal build %t/turns.mlir --check --emit=loops | FileCheck %s --check-prefix=TURNS

// CHAIN:     memory local [[SHARED:[a-z_0-9]+]] : f32[64] holds {{[a-z_0-9]+, [a-z_0-9]+, [a-z_0-9]+$}}
// CHAIN:     memory local [[B:[a-z_0-9]+]] : f32[64]{{$}}
// CHAIN:     load x[
// CHAIN:     store {{.*}} [[SHARED]][
// CHAIN:     load [[SHARED]][
// CHAIN:     store {{.*}} [[B]][
// CHAIN:     load [[B]][
// CHAIN:     store {{.*}} [[SHARED]][i]
// CHAIN:     load [[SHARED]][i]
// CHAIN:     store {{.*}} [[SHARED]][i]
// CHAIN:     load [[SHARED]][
// CHAIN:     store {{.*}} out[

// What a turn of a loop reads, the next one reads again: nothing that the turn writes later is in its place. What it
// writes before it reads is not filled with zeros before the loop.
// TURNS-NOT: holds
// TURNS-NOT: nest fill

//--- chain.mlir
func.func @forward(%x: memref<64xf32> {tepal.name = "x"}, %out: memref<64xf32> {tepal.name = "out", tepal.output}) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 64 {
    %p = affine.load %x[%i] : memref<64xf32>
    %q = affine.load %x[-%i + 63] : memref<64xf32>
    %r = arith.subf %p, %q : f32
    affine.store %r, %a[%i] : memref<64xf32>
  }
  affine.for %i = 0 to 64 {
    %p = affine.load %a[%i] : memref<64xf32>
    %q = affine.load %a[-%i + 63] : memref<64xf32>
    %r = arith.subf %p, %q : f32
    affine.store %r, %b[%i] : memref<64xf32>
  }
  affine.for %i = 0 to 64 {
    %p = affine.load %b[%i] : memref<64xf32>
    %q = affine.load %b[-%i + 63] : memref<64xf32>
    %r = arith.subf %p, %q : f32
    affine.store %r, %c[%i] : memref<64xf32>
  }
  affine.for %i = 0 to 64 {
    %p = affine.load %c[%i] : memref<64xf32>
    %q = affine.load %c[63] : memref<64xf32>
    %r = arith.subf %p, %q : f32
    affine.store %r, %d[%i] : memref<64xf32>
  }
  affine.for %i = 0 to 64 {
    %p = affine.load %d[%i] : memref<64xf32>
    %q = affine.load %d[-%i + 63] : memref<64xf32>
    %s = affine.load %b[%i] : memref<64xf32>
    %t = arith.subf %p, %q : f32
    %r = arith.subf %t, %s : f32
    affine.store %r, %out[%i] : memref<64xf32>
  }
  return
}

//--- turns.mlir
func.func @forward(%n: memref<1xi32> {tepal.name = "n"}, %x: memref<64xf32> {tepal.name = "x"},
                   %out: memref<64xf32> {tepal.name = "out", tepal.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %loaded = affine.load %n[0] : memref<1xi32>
  %masked = arith.andi %loaded, %three : i32
  %limit = arith.index_cast %masked : i32 to index
  %kept = memref.alloc() : memref<64xf32>
  %later = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 64 {
    %p = affine.load %x[%i] : memref<64xf32>
    %q = affine.load %x[-%i + 63] : memref<64xf32>
    %r = arith.subf %p, %q : f32
    affine.store %r, %kept[%i] : memref<64xf32>
  }
  affine.for %i = 0 to 64 {
    %p = affine.load %x[%i] : memref<64xf32>
    %q = affine.load %x[63] : memref<64xf32>
    %r = arith.subf %p, %q : f32
    affine.store %r, %out[%i] : memref<64xf32>
  }
  scf.for %turn = %c0 to %limit step %c1 {
    affine.for %i = 0 to 64 {
      %p = affine.load %kept[-%i + 63] : memref<64xf32>
      %q = affine.load %out[%i] : memref<64xf32>
      %r = arith.addf %p, %q : f32
      affine.store %r, %out[%i] : memref<64xf32>
    }
    affine.for %i = 0 to 64 {
      %p = affine.load %out[%i] : memref<64xf32>
      %q = affine.load %out[-%i + 63] : memref<64xf32>
      %r = arith.subf %p, %q : f32
      affine.store %r, %later[%i] : memref<64xf32>
    }
    affine.for %i = 0 to 64 {
      %p = affine.load %later[%i] : memref<64xf32>
      %q = affine.load %later[-%i + 63] : memref<64xf32>
      %r = arith.subf %p, %q : f32
      affine.store %r, %out[%i] : memref<64xf32>
    }
  }
  return
}
