// Sums carried by a loop, a branch on data, exp outside of any loop, and a loop around a call that adds to a memory.
// RUN: %tepal build %s -o %t --check --parallel 4
// RUN: %tepal sim %t --simulator icarus --runs 3
func.func private @add(%x: memref<4xf32>, %sum: memref<4xf32>, %place: index) {
  affine.for %i = 0 to 4 {
    %a = affine.load %x[%i] : memref<4xf32>
    %b = affine.load %sum[%i] : memref<4xf32>
    %c = arith.addf %a, %b : f32
    affine.store %c, %sum[%i] : memref<4xf32>
  }
  return
}
func.func @main(%x: memref<4xf32> {tepal.name = "x"}, %sum: memref<4xf32> {tepal.name = "sum", tepal.output},
                %total: memref<1xf32> {tepal.name = "total", tepal.output},
                %power: memref<f32> {tepal.name = "power", tepal.output}) {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  scf.for %i = %first to %two step %one {
    func.call @add(%x, %sum, %i) : (memref<4xf32>, memref<4xf32>, index) -> ()
  }
  %carried = scf.for %i = %first to %four step %one iter_args(%s = %zero) -> f32 {
    %a = memref.load %x[%i] : memref<4xf32>
    %next = arith.addf %s, %a : f32
    scf.yield %next : f32
  }
  %positive = arith.cmpf ogt, %carried, %zero : f32
  %chosen = scf.if %positive -> f32 {
    %half = arith.constant 0.5 : f32
    %r = arith.mulf %carried, %half : f32
    scf.yield %r : f32
  } else {
    %r = arith.negf %carried : f32
    scf.yield %r : f32
  }
  memref.store %chosen, %total[%first] : memref<1xf32>
  %e = math.exp %chosen : f32
  affine.store %e, %power[] : memref<f32>
  return
}
