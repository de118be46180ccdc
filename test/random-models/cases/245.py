"""Random model 245."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.weight0 = nn.Parameter(torch.randn(()).to(torch.float64))

    def forward(self, x0, x1):
        v0 = F.pad(x1, [0, 0], mode='constant', value=1)
        v1 = F.interpolate(x1.reshape(1, 1, 1, 11), size=(1, 14), mode='nearest')
        v2 = v1 <= 1
        v3, v4, v5, = torch.chunk(v1, 3, 3)
        v6 = v5.repeat([1, 1, 1, 2])
        v7 = v5.var([0, 1, 2, 3], correction=1, keepdim=False)
        v8 = v7 <= self.weight0
        return {'r0': v7, 'r1': v8, 'r2': v3, 'r3': v6, 'r4': v0, 'r5': v2, 'r6': v4}
