"""official.py TEPAL CALYX DESIGN PROGRAM.futil [verilator]: runs a built design twice on the same random inputs, with `tepal sim`
and as what the official Calyx compiler makes of the design's Calyx program, and compares every bit of the outputs
and the number of cycles. Tensors must be f32 or i32, in one bank."""
import json
import os
import random
import re
import struct
import subprocess
import sys

tepal, calyx, design, program = sys.argv[1:5]
simulator = sys.argv[5] if len(sys.argv) > 5 else "icarus"
work = program + ".official"
os.makedirs(work, exist_ok=True)
interface = json.load(open(os.path.join(design, "interface.json")))
rng = random.Random(1)

BENCH = """module bench;
    logic clk = 0, reset = 1, go = 0;
    wire done;
    integer cycles = 0;
    always #5 clk = ~clk;
    always @(posedge clk) if (go & ~done) cycles <= cycles + 1;
    TOP dut (.clk(clk), .reset(reset), .go(go), .done(done));
    initial begin
        repeat (2) @(negedge clk);
        reset = 0;
        @(negedge clk);
        go = 1;
        while (!done) @(negedge clk);
        $display("cycles %0d", cycles);
        $finish;
    end
endmodule
"""


def write_npy(path, type, shape, words):
    dims = "(" + "".join(f"{n}, " for n in shape) + ")"
    header = f"{{'descr': '{'<f4' if type == 'f32' else '<i4'}', 'fortran_order': False, 'shape': {dims}, }}".ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(words)}I", *words))


def read_npy(path):
    data = open(path, "rb").read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return list(struct.unpack(f"<{(len(data) - start) // 4}I", data[start:]))


def words_of(path):
    text = open(path).read()
    return [int(line, 16) for line in text.split("\n") if line and not line.startswith("//")]


paths = []
for tensor in interface["inputs"] + interface["outputs"]:
    assert tensor["type"] in ("f32", "i32") and tensor["banks"] == 1, tensor
    words = [0] * tensor["elements"]
    if tensor in interface["inputs"]:
        if tensor["type"] == "f32":
            words = [struct.unpack("<I", struct.pack("<f", rng.gauss(0, 1)))[0] for _ in words]
        else:
            words = [rng.randint(-20, 20) & 0xFFFFFFFF for _ in words]
        paths.append(os.path.join(work, tensor["port"] + ".npy"))
        write_npy(paths[-1], tensor["type"], tensor["shape"], words)
    with open(os.path.join(work, tensor["port"] + ".dat"), "w") as file:
        file.write("".join(f"{word:08x}\n" for word in words))

ours = os.path.join(work, "ours")
subprocess.run([tepal, "sim", design, "--simulator", simulator, "--output", ours, "--input", *paths],
               check=True, stdout=subprocess.DEVNULL)
cycles = json.load(open(os.path.join(design, "sim.json")))["cycles"]

primitives = os.path.join(os.environ["HOME"], ".calyx")
verilog = os.path.join(work, "official.sv")
with open(verilog, "w") as file:
    subprocess.run([calyx, "-l", primitives, "-b", "verilog", "--disable-verify", program],
                   check=True, stdout=file, stderr=subprocess.PIPE)
# Verilator 5.006 drops the plusarg, as nobody reads CODE: the folder is set in the text.
text = open(verilog).read()
asked = 'CODE = $value$plusargs("DATA=%s", DATA);'
assert asked in text
# Memories that the host reaches, in the order of the tensors; a name may differ from the port's where the top has it.
cells = re.findall(r'\$readmemh\(\{DATA, "/(\w+)\.dat"\}', text)
with open(verilog, "w") as file:
    file.write(text.replace(asked, f'DATA = "{os.path.abspath(work)}";'))
with open(os.path.join(work, "bench.sv"), "w") as file:
    file.write(BENCH.replace("TOP", interface["top"]))
simulation = os.path.abspath(os.path.join(work, "simulation"))
if simulator == "verilator":
    subprocess.run(["verilator", "--binary", "-Wno-fatal", "-Wno-lint", "-O3", "-o", simulation, "--Mdir",
                    simulation + ".obj", "--top-module", "bench", verilog, os.path.join(work, "bench.sv")],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
else:
    subprocess.run(["iverilog", "-g2012", "-o", simulation, "-s", "bench", verilog, os.path.join(work, "bench.sv")],
                   check=True, stderr=subprocess.PIPE)
result = subprocess.run([simulation], cwd=design,  # memory images are there
                        check=True, capture_output=True, text=True)
official = int(result.stdout.split("cycles ")[1].split()[0])

outputs = interface["outputs"]
for tensor, cell in zip(outputs, cells[-len(outputs):]):
    mine = read_npy(os.path.join(ours, tensor["name"] + ".npy"))
    theirs = words_of(os.path.join(work, cell + ".out"))
    print(f"{tensor['name']}: {len(mine)} words", "equal" if mine == theirs else "DIFFERENT")
# Ours counts the cycle in which the first group starts.
print(f"cycles: {cycles - 1} and {official}", "equal" if cycles - 1 == official else "DIFFERENT")
