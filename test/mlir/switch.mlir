// A switch becomes a chain of ifs, in the order of its cases.
// RUN: %tepal opt %s --tepal-switch | FileCheck %s
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[I:.*]]: index, %[[A:.*]]: f32, %[[B:.*]]: f32
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %[[ONE]] : index
// CHECK: %[[R:.*]] = scf.if %[[FIRST]] -> (f32) {
// CHECK-NEXT: scf.yield %[[A]]
// CHECK-NEXT: } else {
// CHECK: %[[SEVEN:.*]] = arith.constant 7 : index
// CHECK: %[[SECOND:.*]] = arith.cmpi eq, %[[I]], %[[SEVEN]] : index
// CHECK: %[[INNER:.*]] = scf.if %[[SECOND]] -> (f32) {
// CHECK-NEXT: scf.yield %[[B]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT: scf.yield %[[SUM]]
// CHECK: scf.yield %[[INNER]]
// CHECK: return %[[R]]
func.func @main(%i: index, %a: f32, %b: f32) -> f32 {
  %r = scf.index_switch %i -> f32
  case 1 {
    scf.yield %a : f32
  }
  case 7 {
    scf.yield %b : f32
  }
  default {
    %s = arith.addf %a, %b : f32
    scf.yield %s : f32
  }
  return %r : f32
}
