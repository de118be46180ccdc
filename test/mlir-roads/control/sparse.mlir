// Bounds and indices that depend on data: rows of a sparse matrix, from the start of each row and the
// columns of its elements (masked, as the inputs of the test are random).
func.func @sparse(%starts: memref<6xi32>, %columns: memref<32xi32>, %values: memref<32xf32>,
                  %x: memref<8xf32>, %y: memref<5xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  affine.for %i = 0 to 5 {
    %start = affine.load %starts[%i] : memref<6xi32>
    %end = affine.load %starts[%i + 1] : memref<6xi32>
    %low32 = arith.andi %start, %seven : i32
    %high32 = arith.andi %end, %seven : i32
    %low = arith.index_cast %low32 : i32 to index
    %high = arith.index_cast %high32 : i32 to index
    %sum = scf.for %k = %low to %high step %one iter_args(%so_far = %zero) -> f32 {
      %value = memref.load %values[%k] : memref<32xf32>
      %column = memref.load %columns[%k] : memref<32xi32>
      %masked = arith.andi %column, %seven : i32
      %place = arith.index_cast %masked : i32 to index
      %element = memref.load %x[%place] : memref<8xf32>
      %product = arith.mulf %value, %element : f32
      %next = arith.addf %so_far, %product : f32
      scf.yield %next : f32
    }
    affine.store %sum, %y[%i] : memref<5xf32>
  }
  return
}
