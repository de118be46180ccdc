// A step that depends on data, an index that a loop carries, bounds that are extremes, loops on data in
// loops on data.
func.func @steps(%limits: memref<4xi32>, %x: memref<24xf32>, %y: memref<24xf32>, %last: memref<4xi64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %top = arith.constant 24 : index
  %three = arith.constant 3 : i32
  %fifteen = arith.constant 15 : i32
  affine.for %i = 0 to 4 {
    %limit = affine.load %limits[%i] : memref<4xi32>
    %a = arith.andi %limit, %three : i32
    %b = arith.andi %limit, %fifteen : i32
    %a64 = arith.index_cast %a : i32 to index
    %step = arith.addi %a64, %one : index
    %b64 = arith.index_cast %b : i32 to index
    %scaled = arith.muli %b64, %step : index
    %end = arith.minsi %scaled, %top : index
    %seen = scf.for %k = %i to %end step %step iter_args(%far = %zero) -> index {
      %v = memref.load %x[%k] : memref<24xf32>
      scf.for %m = %zero to %step step %one {
        %old = memref.load %y[%k] : memref<24xf32>
        %sum = arith.addf %old, %v : f32
        memref.store %sum, %y[%k] : memref<24xf32>
      }
      %next = arith.addi %far, %k : index
      scf.yield %next : index
    }
    %wide = arith.index_cast %seen : index to i64
    affine.store %wide, %last[%i] : memref<4xi64>
  }
  return
}
