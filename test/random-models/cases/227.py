"""Random model 227."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.weight0 = nn.Parameter(torch.randn(7, 2, 3, 2))

    def forward(self, x0, x1, x2):
        v0 = torch.log2(x1)
        v1 = v0 == x2
        v2 = torch.clamp(x2, self.weight0 - 1, x0 + 2)
        v3 = torch.softmax(v2, dim=1)
        v4 = torch.isinf(v3)
        v5 = v4.to(torch.uint8)
        v6 = torch.tanh(v0)
        v7 = torch.isnan(v2)
        return (v4, v5, v1, v6, x0, v7, v4, )
