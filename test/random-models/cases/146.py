"""Random model 146."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.register_buffer('buffer0', torch.tensor([0, 0]) % 1)

    def forward(self, x0):
        v0 = x0[:, self.buffer0]
        v1 = x0.to(torch.uint8)
        v2 = torch.clamp_min(v1, 1)
        v3 = v2.argmin(0, keepdim=True)
        v4 = v3 + v0
        return v4
