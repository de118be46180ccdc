"""Random model 333."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer0 = nn.Sigmoid()
        self.register_buffer('buffer0', torch.randn(1, 3))
        self.weight0 = nn.Parameter(torch.randn(1, 3))

    def forward(self, x0, x1):
        v0 = torch.erfc(x1)
        v1 = v0.expand([2])
        v2 = v1.var([0], correction=1, keepdim=True)
        v3 = self.layer0(v2)
        v4 = torch.addmm(self.weight0, v2.reshape(1, 1), self.buffer0, beta=0.1, alpha=-2)
        v5 = v2.amax([0], keepdim=False)
        v6 = v4.all(-2, keepdim=False)
        v7 = v5.reshape(1, 1, 1)
        return ({'a': [v7, v6, v3]}, )
