"""Random model 159."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.register_buffer('buffer0', torch.randint(-5, 7, (5, 7, 1, 1,), dtype=torch.int32))
        self.register_buffer('buffer1', torch.randint(0, 1, (3, 4, 1)))

    def forward(self, x0, x1):
        v0 = torch.abs(x1)
        v1, = torch.chunk(v0, 2, 3)
        v2 = torch.where(v1 > 0, v1, 1)
        v3, = torch.unbind(v2, 3)
        v4 = v2.repeat_interleave(2, 1)
        v5 = v3.flatten(2)
        v6 = torch.gather(v5, 2, self.buffer1)
        v7 = v5 >> 3
        return {'r0': v7, 'r1': v6, 'r2': v0, 'r3': v4}
