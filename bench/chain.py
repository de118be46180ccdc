#!/usr/bin/env python3
"""How the time and memory of `tepal build` grow with the number of layers.

usage: bench/chain.py [--layers 1,10,100] [--parallel 1,16] [--repeat 3] [--tepal FILE]

Builds chains of layers, each a 3x3 convolution of 8 channels with bias and ReLU on an image of 16x16, or
a linear layer of 64 with ReLU; every layer has weights of its own. Prints a table of the median of the
wall seconds, the seconds per layer, and the peak memory. Standard library only.
"""
import argparse
import os
import random
import statistics
import struct
import tempfile

from run import ROOT, first_error, run


def weights(generator, shape):
    count = 1
    for size in shape:
        count *= size
    words = struct.pack(f"<{count}f", *(generator.uniform(-0.1, 0.1) for _ in range(count)))
    dims = "x".join(map(str, shape))
    return f'arith.constant dense<"0x{words.hex().upper()}"> : tensor<{dims}xf32>'


RELU = """    %activation{i} = linalg.generic {{indexing_maps = [{map}, {map}], iterator_types = [{iterators}]}}
        ins(%sum{i} : {type}) outs(%empty : {type}) {{
    ^bb0(%in: f32, %out: f32):
      %positive = arith.cmpf ugt, %in, %zero : f32
      %result = arith.select %positive, %in, %zero : f32
      linalg.yield %result : f32
    }} -> {type}
"""


def relu(i, kind, rank):
    dims = ", ".join(f"d{d}" for d in range(rank))
    return RELU.format(i=i, type=kind, map=f"affine_map<({dims}) -> ({dims})>",
                       iterators=", ".join(['"parallel"'] * rank))


def convolution(i, generator):
    kind, bias = "tensor<1x8x16x16xf32>", weights(generator, (8,))
    return f"""    %weight{i} = {weights(generator, (8, 8, 3, 3))}
    %bias{i} = {bias}
    %padded{i} = tensor.pad %activation{i - 1} low[0, 0, 1, 1] high[0, 0, 1, 1] {{
    ^bb0(%a: index, %b: index, %c: index, %d: index):
      tensor.yield %zero : f32
    }} : {kind} to tensor<1x8x18x18xf32>
    %begin{i} = linalg.broadcast ins(%bias{i} : tensor<8xf32>) outs(%empty : {kind}) dimensions = [0, 2, 3]
    %sum{i} = linalg.conv_2d_nchw_fchw ins(%padded{i}, %weight{i} : tensor<1x8x18x18xf32>, tensor<8x8x3x3xf32>)
        outs(%begin{i} : {kind}) -> {kind}
""" + relu(i, kind, 4)


def linear(i, generator):
    kind = "tensor<1x64xf32>"
    return f"""    %weight{i} = {weights(generator, (64, 64))}
    %begin{i} = linalg.fill ins(%zero : f32) outs(%empty : {kind}) -> {kind}
    %sum{i} = linalg.matmul ins(%activation{i - 1}, %weight{i} : {kind}, tensor<64x64xf32>)
        outs(%begin{i} : {kind}) -> {kind}
""" + relu(i, kind, 2)


LAYERS = {"convolution": ("tensor<1x8x16x16xf32>", convolution), "linear": ("tensor<1x64xf32>", linear)}


def chain(name, layers):
    kind, layer = LAYERS[name]
    generator = random.Random(layers)
    text = f"func.func @chain(%activation0: {kind}) -> {kind} {{\n"
    text += "    %zero = arith.constant 0.0 : f32\n"
    text += f"    %empty = tensor.empty() : {kind}\n"
    text += "".join(layer(i, generator) for i in range(1, layers + 1))
    return text + f"    return %activation{layers} : {kind}\n}}\n"


def measure(options, name, layers, parallel, folder):
    model = os.path.join(folder, "chain.mlir")
    with open(model, "w", encoding="utf-8") as file:
        file.write(chain(name, layers))
    seconds, memory = [], 0
    for _ in range(options.repeat):
        status, output, wall, peak = run([options.tepal, "build", model, "-o", os.path.join(folder, "design"),
                                          "--parallel", parallel])
        if status != 0:
            raise SystemExit(f"{name}, {layers} layers: exit status {status}: {first_error(output)}")
        seconds.append(wall)
        memory = max(memory, peak)
    return statistics.median(seconds), memory


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--layers", default="1,10,100")
    parser.add_argument("--parallel", default="1,16")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--tepal", default=os.path.join(ROOT, "build", "tepal"))
    options = parser.parse_args()
    print("| layer | layers | N | build, s | s per layer | memory, MiB |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name in LAYERS:
            for parallel in options.parallel.split(","):
                for layers in map(int, options.layers.split(",")):
                    seconds, memory = measure(options, name, layers, parallel, folder)
                    print(f"| {name} | {layers} | {parallel} | {seconds:.2f} | {seconds / layers:.3f} "
                          f"| {memory:.0f} |", flush=True)


if __name__ == "__main__":
    main()
