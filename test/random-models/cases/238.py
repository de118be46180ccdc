"""Random model 238."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.register_buffer('buffer0', torch.randn(1).to(torch.float16))
        self.weight0 = nn.Parameter(torch.randn(1).to(torch.float16))

    def forward(self, x0):
        v0 = torch.addcdiv(x0, self.buffer0, self.weight0.abs() + 1)
        v1 = torch.matmul(v0, x0)
        v2 = torch.stack([v0, x0, v0 * 2], 0)
        v3 = v2.mT
        v4 = torch.where(v2 > 0, v2, 0)
        return (v3, v2, v4, x0, )
