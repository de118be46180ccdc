// All pairs of special values, in f32, f64, f16 and bf16: every result must be the right bits, with one kind of NaN.
// RUN: sed -e s/FLOAT/f32/g -e s/BITS/i32/g -e s/QUIET/0x7FC00000/ %s >%t.f32.mlir
// RUN: sed -e s/FLOAT/f64/g -e s/BITS/i64/g -e s/QUIET/0x7FF8000000000000/ %s >%t.f64.mlir
// RUN: sed -e s/FLOAT/f16/g -e s/BITS/i16/g -e s/QUIET/0x7E00/ %s >%t.f16.mlir
// RUN: sed -e s/FLOAT/bf16/g -e s/BITS/i16/g -e s/QUIET/0x7FC0/ %s >%t.bf16.mlir
// RUN: for type in f32 f64 f16 bf16; do %tepal build %t.$type.mlir -o %t.$type --check --parallel 2 && %tepal sim %t.$type --simulator icarus --input %S/pairs.$type.in[01].npy --expect %S/pairs.$type.out?.npy || exit 1; done
#map = affine_map<(d0) -> (d0)>
func.func private @bits(%x: FLOAT) -> BITS {
  %nan = arith.constant QUIET : BITS
  %is_nan = arith.cmpf uno, %x, %x : FLOAT
  %bits = arith.bitcast %x : FLOAT to BITS
  %result = arith.select %is_nan, %nan, %bits : BITS
  return %result : BITS
}
func.func @main(%a: tensor<529xFLOAT>, %b: tensor<529xFLOAT>)
    -> (tensor<529xBITS>, tensor<529xBITS>, tensor<529xBITS>, tensor<529xBITS>, tensor<529xBITS>, tensor<529xBITS>,
        tensor<529xBITS>, tensor<529xi8>) {
  %empty = tensor.empty() : tensor<529xBITS>
  %empty_8 = tensor.empty() : tensor<529xi8>
  %results:8 = linalg.generic {indexing_maps = [#map, #map, #map, #map, #map, #map, #map, #map, #map, #map],
                               iterator_types = ["parallel"]}
      ins(%a, %b : tensor<529xFLOAT>, tensor<529xFLOAT>)
      outs(%empty, %empty, %empty, %empty, %empty, %empty, %empty, %empty_8 :
           tensor<529xBITS>, tensor<529xBITS>, tensor<529xBITS>, tensor<529xBITS>, tensor<529xBITS>, tensor<529xBITS>,
           tensor<529xBITS>, tensor<529xi8>) {
  ^bb0(%x: FLOAT, %y: FLOAT, %o0: BITS, %o1: BITS, %o2: BITS, %o3: BITS, %o4: BITS, %o5: BITS, %o6: BITS, %o7: i8):
    %sum = arith.addf %x, %y : FLOAT
    %difference = arith.subf %x, %y : FLOAT
    %product = arith.mulf %x, %y : FLOAT
    %quotient = arith.divf %x, %y : FLOAT
    %largest = arith.maximumf %x, %y : FLOAT
    %smallest = arith.minimumf %x, %y : FLOAT
    %accumulated = arith.addf %product, %x : FLOAT
    %0 = func.call @bits(%sum) : (FLOAT) -> BITS
    %1 = func.call @bits(%difference) : (FLOAT) -> BITS
    %2 = func.call @bits(%product) : (FLOAT) -> BITS
    %3 = func.call @bits(%quotient) : (FLOAT) -> BITS
    %4 = func.call @bits(%largest) : (FLOAT) -> BITS
    %5 = func.call @bits(%smallest) : (FLOAT) -> BITS
    %6 = func.call @bits(%accumulated) : (FLOAT) -> BITS
    %one = arith.constant 1 : i8
    %two = arith.constant 2 : i8
    %less = arith.cmpf olt, %x, %y : FLOAT
    %equal = arith.cmpf oeq, %x, %y : FLOAT
    %unordered = arith.cmpf uno, %x, %y : FLOAT
    %less_8 = arith.extui %less : i1 to i8
    %equal_8 = arith.extui %equal : i1 to i8
    %unordered_8 = arith.extui %unordered : i1 to i8
    %7 = arith.shli %unordered_8, %two : i8
    %8 = arith.shli %equal_8, %one : i8
    %9 = arith.ori %7, %8 : i8
    %order = arith.ori %9, %less_8 : i8
    linalg.yield %0, %1, %2, %3, %4, %5, %6, %order : BITS, BITS, BITS, BITS, BITS, BITS, BITS, i8
  } -> (tensor<529xBITS>, tensor<529xBITS>, tensor<529xBITS>, tensor<529xBITS>, tensor<529xBITS>, tensor<529xBITS>,
        tensor<529xBITS>, tensor<529xi8>)
  return %results#0, %results#1, %results#2, %results#3, %results#4, %results#5, %results#6, %results#7 :
      tensor<529xBITS>, tensor<529xBITS>, tensor<529xBITS>, tensor<529xBITS>, tensor<529xBITS>, tensor<529xBITS>,
      tensor<529xBITS>, tensor<529xi8>
}
