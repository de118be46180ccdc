"""Random model 307."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer0 = nn.Embedding(7, 3)
        self.layer1 = nn.RMSNorm([3])
        self.layer2 = nn.Mish()
        self.layer3 = nn.Linear(3, 2, bias=False)
        self.register_buffer('state', torch.ones([]))

    def forward(self, x0, x1):
        v0 = x0.clamp(max=3)
        v1 = torch.mul(x0, v0)
        v2 = self.layer0(v1.abs() % 5)
        v3 = self.layer1(v2)
        v4 = v3.prod(0, keepdim=False)
        v5 = self.layer2(v4)
        v6 = self.layer3(v2)
        v7 = v6.sum([0], keepdim=False)
        v8 = torch.tril(x1, 0)
        self.state.mul_(0.5).add_(v7)
        v9 = self.state.clone()
        return (v6, v0, {'a': [v8, v5, v9]}, )
