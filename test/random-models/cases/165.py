"""Random model 165."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer0 = nn.PReLU()
        self.register_buffer('buffer0', torch.randn(5, 1))
        self.register_buffer('buffer1', torch.tensor([1]) % 3)

    def forward(self, x0):
        v0 = torch.atan(x0)
        v1 = torch.trunc(v0)
        v2 = torch.diagonal(v1, -1, -2, -1)
        v3 = v2.all()
        v4 = self.layer0(x0)
        v5 = torch.stack([v1, v0], 0)
        v6 = torch.slice_scatter(v2, self.buffer0, 1, 2)
        v7 = v4 <= v2
        v8 = torch.index_select(v6, 1, self.buffer1)
        return (v8, v1, v7, v5, v4, v3, )
