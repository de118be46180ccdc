// Names of tensors are cut so that those of their ports are not: interface.json tells them.
// RUN: rm -rf %t && %tepal build %s -o %t --parallel 2
// RUN: %tepal sim %t --simulator icarus --runs 2
// RUN: FileCheck %s --input-file=%t/long_names.sv

// CHECK: {{ a{44}_addr,}}
// CHECK: {{ a{44}_write_data,}}
// CHECK: {{ a{44}_1_read_data$}}
func.func @main(%x: memref<8xf32> {tepal.name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"},
                %out: memref<8xf32> {tepal.name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", tepal.output}) {
  affine.for %i = 0 to 8 {
    %a = affine.load %x[%i] : memref<8xf32>
    %b = arith.mulf %a, %a : f32
    affine.store %b, %out[%i] : memref<8xf32>
  }
  return
}
