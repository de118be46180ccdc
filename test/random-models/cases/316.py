"""Random model 316."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.weight0 = nn.Parameter(torch.randn(1, 3))
        self.weight1 = nn.Parameter(torch.randn(33, 2))

    def forward(self, x0, x1):
        v0 = torch.mm(x1.reshape(11, 1), self.weight0)
        v1 = v0.expand([1, 11, 3])
        v2 = torch.mm(v1.reshape(1, 33), self.weight1)
        return ({'a': [v2, v1]}, )
