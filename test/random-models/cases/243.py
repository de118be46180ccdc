"""Random model 243."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.register_buffer('buffer0', torch.rand(1, 1) > 0.5)
        self.layer0 = nn.RMSNorm([2, 8, 1])
        self.register_buffer('buffer1', torch.tensor([0, 0, 0]) % 1)
        self.layer2 = nn.Linear(1, 3, bias=True)

    def forward(self, x0):
        v0 = x0 >= 0
        v1 = torch.logical_or(v0, self.buffer0)
        v2 = self.layer0(x0)
        v3 = v1[:, :, :, :, self.buffer1]
        v4 = self.layer2(x0)
        v5 = torch.floor(v4)
        v6 = v4.flip([2])
        return (v6, v3, v4, v2, )
