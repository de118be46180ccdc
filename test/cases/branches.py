"""Prints a function with a thousand scf.if."""
print("""func.func @main(%x: memref<16xf32> {tepal.name = "x"}, %y: memref<16xf32> {tepal.name = "y", tepal.output}) {
  %zero = arith.constant 0.0 : f32""")
for i in range(1000):
    print(f"""  %a{i} = affine.load %x[{i % 16}] : memref<16xf32>
  %c{i} = arith.cmpf ogt, %a{i}, %zero : f32
  scf.if %c{i} {{
    affine.store %a{i}, %y[{i * 7 % 16}] : memref<16xf32>
  }}""")
print("  return\n}")
