#!/usr/bin/env python3
"""Prints a random MLIR program: linalg on tensors, or loops over memrefs in affine or scf,
some with control that depends on data.

    generate.py SEED

The first lines are comments with the seed and a random --parallel for `tepal build`. Shapes are small and odd
(1, primes), so that unroll factors and banks do not divide them. Every address is in range and no sum is reordered:
all stages of the program must give the same bits.
"""
import random
import sys

from control import ControlLoops
from loops import AffineLoops, StructuredLoops
from tensors import Tensors


def main():
    seed = int(sys.argv[1])
    rng = random.Random(seed)
    parallel = rng.choice([1, 2, 3, 4, 4, 7, 8, 8, 16, 16, 32, 64])
    kind = rng.choice([Tensors] * 2 + [AffineLoops, StructuredLoops, ControlLoops])
    print(f"// seed {seed}\n// parallel {parallel}")
    if kind is ControlLoops:  # its cycles need not be predicted
        print("// on data")
    print(kind(rng).program())


if __name__ == "__main__":
    main()
