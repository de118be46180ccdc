"""Random model 106."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.register_buffer('buffer0', torch.randint(-5, 7, (1,), dtype=torch.int16))

    def forward(self, x0, x1):
        v0 = x0.repeat_interleave(2, -3)
        v1, v2, v3, = torch.unbind(x1, 3)
        v4 = v2.select(1, 3)
        v5 = v4.permute([1, 0, 2])
        v6 = torch.where(v5 > 1, v5, 0)
        v7 = x1 == v4
        return [v6, x1, v3, v0, v1, v5, v7, v6]
