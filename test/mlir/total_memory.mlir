// Memory that may be read before it is written is filled with zeros; what is overwritten is not.
// RUN: %tepal opt %s --tepal-total | FileCheck %s
// RUN: %tepal run %s --top tensors | FileCheck %s --check-prefix=VALUE

#map = affine_map<(d0) -> (d0)>
// CHECK-LABEL: @tensors
// VALUE: out0: 1 1 1 1
// VALUE: out1: 0 0 0 0
// VALUE: out2: 0 1 1 0
func.func @tensors() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = arith.constant 1.0 : f32
  %ones = arith.constant dense<1.0> : tensor<2xf32>
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
  // CHECK: %[[Z:.*]] = linalg.fill ins(%{{.*}}) outs(%[[E]] : tensor<4xf32>)
  %empty = tensor.empty() : tensor<4xf32>
  // Overwritten: no zeros.
  // CHECK: linalg.generic {{.*}} outs(%[[E]] : tensor<4xf32>)
  %all = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%empty : tensor<4xf32>) {
  ^bb0(%out: f32):
    linalg.yield %one : f32
  } -> tensor<4xf32>
  // CHECK: tensor.insert_slice %{{.*}} into %[[Z]]
  %part = tensor.insert_slice %ones into %empty[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  // CHECK: return %{{.*}}, %[[Z]], %{{.*}}
  return %all, %empty, %part : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Two halves make a whole.
// CHECK-LABEL: @halves
// CHECK-NOT: linalg.fill
func.func private @halves(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %0 = tensor.insert_slice %a into %empty[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %1 = tensor.insert_slice %b into %0[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A nest that stores every element first; one that leaves out a column; a read of what was never written.
// CHECK-LABEL: @memrefs
// CHECK: %[[A:.*]] = memref.alloc() : memref<3x4xf32>
// CHECK: %[[B:.*]] = memref.alloc() : memref<3x4xf32>
// CHECK: affine.store %{{.*}}, %[[B]]
// CHECK: %[[C:.*]] = memref.alloc() : memref<f32>
// CHECK: affine.store %{{.*}}, %[[C]][]
// CHECK: affine.for
// CHECK: affine.store %{{.*}}, %[[A]]
func.func private @memrefs(%out: memref<3x4xf32>) {
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<3x4xf32>
  %b = memref.alloc() : memref<3x4xf32>
  %c = memref.alloc() : memref<f32>
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 4 {
      affine.store %one, %a[%i, %j] : memref<3x4xf32>
    }
  }
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 3 {
      affine.store %one, %b[%i, %j] : memref<3x4xf32>
    }
  }
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 4 {
      %0 = affine.load %a[%i, %j] : memref<3x4xf32>
      %1 = affine.load %b[%i, %j] : memref<3x4xf32>
      %2 = affine.load %c[] : memref<f32>
      %3 = arith.addf %0, %1 : f32
      %4 = arith.addf %3, %2 : f32
      affine.store %4, %out[%i, %j] : memref<3x4xf32>
    }
  }
  return
}
