#!/usr/bin/env python3
"""The table of the units under test, and what is generated from it.

units.py FOLDER writes FOLDER/units.sv, a module with all units side by side, and FOLDER/units.inc,
the same table for bench.cpp.
"""
import os
import sys

# name: (width, exponent bits); integers have no exponent bits
FORMATS = {"f32": (32, 8), "f64": (64, 11), "f16": (16, 5), "bf16": (16, 8), "f8e5": (8, 5),
           "f8e4": (8, 4)}

# (module, reference in bench.cpp, format of the operands, latencies); a latency of None: iterative
BINARY = [
    ("float_add", "add", "f32", [0, 1, 2, 3, 4, 5, 6, 7, 9]),
    ("float_add", "add", "f64", [0, 5]),
    ("float_add", "add", "f16", [0, 4]),
    ("float_add", "add", "bf16", [0, 5]),
    ("float_add", "add", "f8e5", [4, 5, 6, 7]),
    ("float_add", "add", "f8e4", [5]),
    ("float_multiply", "multiply", "f32", [0, 1, 2, 3, 4, 5, 6, 7, 9]),
    ("float_multiply", "multiply", "f64", [0, 5]),
    ("float_multiply", "multiply", "f16", [0, 4]),
    ("float_multiply", "multiply", "bf16", [0, 5]),
    ("float_multiply", "multiply", "f8e5", [4, 5, 6, 7]),
    ("float_multiply", "multiply", "f8e4", [5]),
    ("float_divide", "divide", "f32", [0, 1, 8, 17, 30]),
    ("float_divide", "divide", "f64", [20]),
    ("float_divide", "divide", "f16", [6]),
    ("float_divide", "divide", "bf16", [9]),
    ("float_divide", "divide", "f8e5", [3]),
    ("float_divide", "divide", "f8e4", [3]),
    ("float_divide_iterative", "divide", "f32", [None]),
    ("float_divide_iterative", "divide", "f64", [None]),
    ("float_divide_iterative", "divide", "f16", [None]),
    ("float_divide_iterative", "divide", "bf16", [None]),
    ("float_divide_iterative", "divide", "f8e4", [None]),
    ("float_minimum", "minimum", "f32", [0, 1]),
    ("float_minimum", "minimum", "f64", [1]),
    ("float_minimum", "minimum", "f16", [1]),
    ("float_minimum", "minimum", "bf16", [1]),
    ("float_maximum", "maximum", "f32", [0, 1]),
    ("float_maximum", "maximum", "f64", [2]),
    ("float_maximum", "maximum", "f16", [1]),
    ("float_maximum", "maximum", "bf16", [1]),
    ("float_compare", "compare", "f32", [0, 1]),
    ("float_compare", "compare", "f64", [1]),
    ("float_compare", "compare", "f16", [1]),
    ("float_compare", "compare", "bf16", [2]),
]
UNARY = [
    ("float_sqrt", "square_root", "f32", [0, 1, 8, 16, 30]),
    ("float_sqrt", "square_root", "f64", [20]),
    ("float_sqrt", "square_root", "f16", [6]),
    ("float_sqrt", "square_root", "bf16", [9]),
    ("float_sqrt", "square_root", "f8e4", [3]),
    ("float_sqrt_iterative", "square_root", "f32", [None]),
    ("float_sqrt_iterative", "square_root", "f64", [None]),
    ("float_sqrt_iterative", "square_root", "f16", [None]),
    ("float_sqrt_iterative", "square_root", "bf16", [None]),
    ("float_sqrt_iterative", "square_root", "f8e4", [None]),
]
# (integer width, signed, float format, latency)
INTEGER = [
    (32, 1, "f32", 0), (32, 1, "f32", 1), (32, 1, "f32", 2), (32, 1, "f32", 3), (32, 1, "f32", 4),
    (32, 1, "f32", 6), (32, 0, "f32", 3), (64, 1, "f32", 3), (64, 0, "f32", 3), (8, 1, "f32", 3),
    (1, 1, "f32", 3), (1, 0, "f32", 2), (2, 1, "f32", 3), (3, 0, "f32", 4), (24, 1, "f32", 2),
    (25, 0, "f32", 3), (64, 1, "f64", 3), (32, 0, "f64", 2), (32, 1, "f16", 3), (64, 0, "f16", 3),
    (64, 1, "bf16", 3), (16, 1, "f16", 1),
]
# (from, to, latency)
CONVERT = [
    ("f32", "f64", 2), ("f64", "f32", 2), ("f32", "f16", 0), ("f32", "f16", 1), ("f32", "f16", 2),
    ("f32", "f16", 3), ("f32", "f16", 5), ("f16", "f32", 2), ("f32", "bf16", 2),
    ("bf16", "f32", 2), ("f64", "f16", 2), ("f16", "f64", 3), ("f64", "bf16", 2),
    ("bf16", "f16", 2), ("f16", "bf16", 2), ("f32", "f8e4", 2), ("f8e5", "f32", 1),
    ("f8e5", "f8e4", 2), ("f8e4", "f8e5", 2), ("f32", "f32", 2),
]


def iterative(module, name):
    """Latency, and least distance of two starts, of an iterative unit."""
    width, exponent = FORMATS[name]
    fraction = width - exponent - 1
    return (fraction + 8, fraction + 4) if "divide" in module else (fraction + 6, fraction + 3)


def main():
    instances, rows = [], []

    def add(module, parameters, inputs, reference, source, target, latency, period, width):
        index = len(rows)
        settings = ", ".join(f".{key}({value})" for key, value in parameters.items())
        outputs = f".out(result{index})"
        if module == "float_compare":
            outputs = (f".unordered(result{index}[2]), .equal(result{index}[1]), "
                       f".less(result{index}[0])")
        if period > 1:
            inputs = f".go(go[{index}]), " + inputs
        instances.append(f"""    wire [{width - 1}:0] result{index};
    tepal_{module} #({settings}) unit{index} (
        .clk(clk), {inputs}, {outputs});
    assign out[{index}] = 64'(result{index});
""")
        label = source[0] if source == target else f"{source[0]} -> {target[0]}"
        rows.append(f'{{"{module}", "{label}", {reference}, {{{fields(source)}}}, '
                    f'{{{fields(target)}}}, {latency}, {period}}},\n')

    def fields(kind):
        name, width, exponent, is_signed = kind
        slot = list(FORMATS).index(name) if exponent else len(FORMATS)
        return f'{width}, {exponent}, {"true" if is_signed else "false"}, {slot}'

    def operand(side, name):
        return f"{side}[{list(FORMATS).index(name)}][{FORMATS[name][0] - 1}:0]"

    def floating(name):
        return (name, *FORMATS[name], True)

    for table, arity in ((BINARY, 2), (UNARY, 1)):
        for module, reference, name, latencies in table:
            width, exponent = FORMATS[name]
            if arity == 2:
                inputs = f".left({operand('left', name)}), .right({operand('right', name)})"
            else:
                inputs = f".in({operand('left', name)})"
            for latency in latencies:
                parameters = {"WIDTH": width, "EXPONENT": exponent}
                period = 1
                if latency is None:
                    latency, period = iterative(module, name)
                else:
                    parameters["LATENCY"] = latency
                add(module, parameters, inputs, reference, floating(name), floating(name), latency,
                    period, 3 if module == "float_compare" else width)
    for bits, is_signed, name, latency in INTEGER:
        width, exponent = FORMATS[name]
        integer = (f"{'i' if is_signed else 'u'}{bits}", bits, 0, is_signed)
        parameters = {"INT_WIDTH": bits, "SIGNED": is_signed, "WIDTH": width,
                      "EXPONENT": exponent, "LATENCY": latency}
        add("int_to_float", parameters, f".in(left[{len(FORMATS)}][{bits - 1}:0])",
            "from_integer", integer, floating(name), latency, 1, width)
        add("float_to_int", parameters, f".in({operand('left', name)})", "to_integer",
            floating(name), integer, latency, 1, bits)
    for source, target, latency in CONVERT:
        parameters = {"IN_WIDTH": FORMATS[source][0], "IN_EXPONENT": FORMATS[source][1],
                      "OUT_WIDTH": FORMATS[target][0], "OUT_EXPONENT": FORMATS[target][1],
                      "LATENCY": latency}
        add("float_convert", parameters, f".in({operand('left', source)})", "convert",
            floating(source), floating(target), latency, 1, FORMATS[target][0])

    # one more slot of operands than formats: the integers
    with open(os.path.join(sys.argv[1], "units.sv"), "w") as out:
        out.write(f"""module units (
    input  wire        clk,
    input  wire        go [0:{len(rows) - 1}],
    input  wire [63:0] left [0:{len(FORMATS)}],
    input  wire [63:0] right [0:{len(FORMATS)}],
    output wire [63:0] out [0:{len(rows) - 1}]
);
{"".join(instances)}endmodule
""")
    with open(os.path.join(sys.argv[1], "units.inc"), "w") as out:
        out.writelines(rows)
    with open(os.path.join(sys.argv[1], "formats.inc"), "w") as out:
        for width, exponent in FORMATS.values():
            out.write(f"{{{width}, {exponent}, true, 0}},\n")


main()
