// Control that depends on data: WHILE and IF nodes, whose conditions are memories of one i1.
// RUN: %tepal build %s --check --emit=loops | FileCheck %s

// A loop whose bounds depend on data counts by itself.
// CHECK:      nest [[START:[a-z_0-9]+]] () {
// CHECK:        load n[0]
// CHECK:      while [[MORE:[a-z_0-9]+]] {
// CHECK-NEXT: before:
// CHECK:          cmpi slt
// CHECK:          store {{%[0-9]+}}, [[MORE]][0] : i1
// CHECK:      do:
// CHECK:          store {{%[0-9]+}}, out[

// Loops in both arms: only those of one run. The same in if-conversion where there is no loop.
// CHECK:      if [[CONDITION:[a-z_0-9]+]] {
// CHECK-NEXT: then:
// CHECK-NEXT:   nest {{[a-z_0-9]+}} (i 8) {
// CHECK:      else:
// CHECK-NEXT:   nest {{[a-z_0-9]+}} (i 8) {
// CHECK:      nest {{[a-z_0-9]+}} (i 8) {
// CHECK-NOT:  if
// CHECK:        store {{%[0-9]+}}, flags[

// What the condition hands on unchanged stays where it is: one store.
// CHECK:      while [[BIG:[a-z_0-9]+]] {
// CHECK-NEXT: before:
// CHECK-NEXT:   nest {{[a-z_0-9]+}} () {
// CHECK-NEXT:     load [[P:[a-z_0-9]+]][0] : i32
// CHECK-NOT:      store {{%[0-9]+}}, [[P]][0]
// CHECK:      do:
// CHECK:          store {{%[0-9]+}}, [[P]][0] : i32
func.func @forward(%n: memref<1xi32> {tepal.name = "n"}, %x: memref<8xf32> {tepal.name = "x"},
                   %out: memref<8xf32> {tepal.name = "out", tepal.output},
                   %both: memref<8xf32> {tepal.name = "both", tepal.output},
                   %flags: memref<8xf32> {tepal.name = "flags", tepal.output},
                   %last: memref<1xi32> {tepal.name = "last", tepal.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  %zero = arith.constant 0 : i32
  %float_zero = arith.constant 0.0 : f32
  %m = affine.load %n[0] : memref<1xi32>
  %masked = arith.andi %m, %seven : i32
  %limit = arith.index_cast %masked : i32 to index
  scf.for %i = %c0 to %limit step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    memref.store %a, %out[%i] : memref<8xf32>
  }
  %positive = arith.cmpi sgt, %m, %zero : i32
  scf.if %positive {
    affine.for %i = 0 to 8 {
      %a = affine.load %x[%i] : memref<8xf32>
      %b = arith.addf %a, %a : f32
      affine.store %b, %both[%i] : memref<8xf32>
    }
  } else {
    affine.for %i = 0 to 8 {
      %a = affine.load %x[%i] : memref<8xf32>
      %b = arith.mulf %a, %a : f32
      affine.store %b, %both[%i] : memref<8xf32>
    }
  }
  affine.for %i = 0 to 8 {
    %a = affine.load %x[%i] : memref<8xf32>
    %above = arith.cmpf ogt, %a, %float_zero : f32
    scf.if %above {
      affine.store %a, %flags[%i] : memref<8xf32>
    }
  }
  %r = scf.while (%p = %m) : (i32) -> i32 {
    %big = arith.cmpi sgt, %p, %seven : i32
    scf.condition(%big) %p : i32
  } do {
  ^bb0(%p: i32):
    %q = arith.subi %p, %seven : i32
    scf.yield %q : i32
  }
  affine.store %r, %last[0] : memref<1xi32>
  return
}
