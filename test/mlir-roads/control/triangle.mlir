// A while inside a loop whose bounds vary with the loop around it, under an affine if; state in memory
// that the condition reads; a value loaded before the while and overwritten in it.
func.func @triangle(%seed: memref<5xi32>, %state: memref<1xi32>, %seen: memref<5x5xi32>,
                    %log: memref<5xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %mask = arith.constant 63 : i32
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to 5 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0) -> (d0 + 3, 5)>(%i) {
      affine.if affine_set<(d0, d1) : (d0 + d1 - 1 >= 0)>(%i, %j) {
        %s = affine.load %seed[%j] : memref<5xi32>
        %old = memref.load %state[%c0] : memref<1xi32>
        %mixed = arith.xori %s, %old : i32
        %small = arith.andi %mixed, %mask : i32
        %start = arith.addi %small, %one : i32
        memref.store %start, %state[%c0] : memref<1xi32>
        %count = scf.while (%n = %zero) : (i32) -> i32 {
          %now = memref.load %state[%c0] : memref<1xi32>
          %more = arith.cmpi ne, %now, %one : i32
          scf.condition(%more) %n : i32
        } do {
        ^bb0(%n: i32):
          %now = memref.load %state[%c0] : memref<1xi32>
          %bit = arith.andi %now, %one : i32
          %odd = arith.cmpi eq, %bit, %one : i32
          %t = arith.muli %now, %three : i32
          %up = arith.addi %t, %one : i32
          %down = arith.divsi %now, %two : i32
          %to = arith.select %odd, %up, %down : i32
          memref.store %to, %state[%c0] : memref<1xi32>
          %m = arith.addi %n, %one : i32
          scf.yield %m : i32
        }
        affine.store %count, %seen[%i, %j] : memref<5x5xi32>
        affine.store %old, %log[%j] : memref<5xi32>
      }
    }
  }
  return
}
