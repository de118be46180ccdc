"""flatten_npy.py IN.npy OUT.npy: the same array with one dimension."""
import ast
import math
import struct
import sys

data = open(sys.argv[1], "rb").read()
size = struct.unpack("<H", data[8:10])[0]
header = ast.literal_eval(data[10 : 10 + size].decode())
assert data[6] == 1 and not header["fortran_order"]
header["shape"] = (math.prod(header["shape"]),)
text = (repr(header).ljust(size - 1) + "\n").encode()
with open(sys.argv[2], "wb") as file:
    file.write(data[:8] + struct.pack("<H", len(text)) + text + data[10 + size :])
