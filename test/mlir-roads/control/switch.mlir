// A switch on data: cases with and without loops, a switch in a case, results, and one without a result in a loop.
func.func @switch(%n: memref<2xi32>, %x: memref<16xf32>, %y: memref<16xf32>, %z: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %a = memref.load %n[%c0] : memref<2xi32>
  %b = memref.load %n[%c1] : memref<2xi32>
  %a3 = arith.andi %a, %three : i32
  %b3 = arith.andi %b, %three : i32
  %i = arith.index_cast %a3 : i32 to index
  %j = arith.index_cast %b3 : i32 to index
  %f = scf.index_switch %i -> f32
  case 1 {
    %k = arith.constant 2.0 : f32
    scf.yield %k : f32
  }
  case 2 {
    affine.for %l = 0 to 16 {
      %v = affine.load %x[%l] : memref<16xf32>
      affine.store %v, %y[%l] : memref<16xf32>
    }
    %k = scf.index_switch %j -> f32
    case 0 {
      %m = arith.constant 3.0 : f32
      scf.yield %m : f32
    }
    default {
      %m = memref.load %x[%j] : memref<16xf32>
      scf.yield %m : f32
    }
    scf.yield %k : f32
  }
  default {
    %k = arith.constant 4.0 : f32
    scf.yield %k : f32
  }
  affine.for %l = 0 to 16 {
    %v = affine.load %y[%l] : memref<16xf32>
    %w = arith.addf %v, %f : f32
    affine.store %w, %y[%l] : memref<16xf32>
    scf.index_switch %l
    case 3 {
      affine.store %a, %z[%l] : memref<16xi32>
      scf.yield
    }
    case 5 {
      affine.store %b, %z[%l] : memref<16xi32>
      scf.yield
    }
    default {
      affine.store %three, %z[%l] : memref<16xi32>
      scf.yield
    }
  }
  return
}
