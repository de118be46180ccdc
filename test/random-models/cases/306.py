"""Random model 306."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer0 = nn.Sigmoid()

    def forward(self, x0, x1, x2):
        v0 = self.layer0(x1)
        v1 = torch.remainder(x2, 3)
        v2 = x0.prod(-1, keepdim=False)
        v3 = v0 + x1
        v4 = x2.amin([0], keepdim=True)
        v5 = v3.masked_fill(v3 > 1, 1)
        v6 = v5.to(torch.float32)
        v7, v8, = torch.sort(v6, dim=-1, stable=True, descending=True)
        v9 = v4.permute([4, 0, 1, 3, 2]).contiguous()
        return (v7, v3, v8, v9, v2, v1, v1, )
