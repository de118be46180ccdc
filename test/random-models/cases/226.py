"""Random model 226."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.weight0 = nn.Parameter(torch.randn(1, 1, 4, 9))
        self.buffer0 = nn.Buffer(torch.randn(36, 3))
        self.register_buffer('buffer1', torch.randn(1, 3))
        self.register_buffer('buffer2', torch.randn(9, 3))
        self.register_buffer('buffer3', torch.randn(4, 3))

    def forward(self, x0):
        v0 = torch.sub(self.weight0, x0)
        v1 = torch.addmm(self.buffer1, v0.reshape(1, 36), self.buffer0, beta=1, alpha=2.0)
        v2 = v1.all()
        v3 = x0 + torch.full((9,), 2, dtype=torch.float32)
        v4 = v3 % -3
        v5 = torch.tril(v4, 0)
        v6 = torch.addmm(self.buffer3, v3.reshape(4, 9), self.buffer2, beta=-1.5, alpha=3)
        v7 = torch.zeros_like(v6) - v6
        return (x0, v0, v2, v7, v5, )
