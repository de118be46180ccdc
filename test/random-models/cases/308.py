"""Random model 308."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer0 = nn.Softshrink(0.3)
        self.weight0 = nn.Parameter(torch.randn(1))
        self.register_buffer('buffer0', torch.randint(0, 1, (1,)))
        self.weight1 = nn.Parameter(torch.randn(1))
        self.layer1 = nn.Linear(1, 1, bias=True)

    def forward(self, x0):
        v0 = x0.narrow(0, 0, 3)
        v1 = self.layer0(v0)
        v2 = v1 > self.weight0
        v3 = F.interpolate(v1.reshape(1, 3, 1, 1), size=(4, 1), mode='bilinear', align_corners=True)
        v4 = x0.amin([0], keepdim=True)
        v5 = v4.flatten(0)
        v6 = torch.scatter(v5, 0, self.buffer0, 0)
        v7 = self.layer1(v6)
        return {'r0': v3, 'r1': v7, 'r2': v2}
