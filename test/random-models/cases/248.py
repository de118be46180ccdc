"""Random model 248."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.weight0 = nn.Parameter(torch.randn(4, 1))
        self.weight1 = nn.Parameter(torch.randn(1))

    def forward(self, x0, x1, x2):
        v0 = x1.unsqueeze(1)
        v1 = torch.addcdiv(v0, self.weight0, self.weight1.abs() + 1)
        v2 = torch.diagonal(x2, 0, -2, -1)
        v3 = v1.mT
        v4, = torch.chunk(v2, 2, 0)
        v5 = torch.sin(v3)
        v6 = F.adaptive_avg_pool3d(x0.reshape(1, 4, 1, 1, 1), (1, 1, 1))
        v7 = torch.roll(v4, 2)
        return {'r0': v5, 'r1': v6, 'r2': x1, 'r3': v7}
