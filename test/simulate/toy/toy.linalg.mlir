module {
  func.func @forward(%a: tensor<2x5xi32> {tepal.name = "a"},
                     %b: tensor<2x5xi32> {tepal.name = "b"})
      -> (tensor<2x5xi32> {tepal.name = "y"}, tensor<i32> {tepal.name = "t"}) {
    %zero = arith.constant 0 : index
    %empty = tensor.empty() : tensor<2x5xi32>
    %y = linalg.add ins(%a, %b : tensor<2x5xi32>, tensor<2x5xi32>)
                    outs(%empty : tensor<2x5xi32>) -> tensor<2x5xi32>
    %first = tensor.extract %a[%zero, %zero] : tensor<2x5xi32>
    %t = tensor.from_elements %first : tensor<i32>
    return %y, %t : tensor<2x5xi32>, tensor<i32>
  }
}
