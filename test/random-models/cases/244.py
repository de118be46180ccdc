"""Random model 244."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.weight0 = nn.Parameter(torch.randn(2))
        self.register_buffer('buffer0', torch.randn(1, 2, 2, 4))
        self.weight1 = nn.Parameter(torch.randn(1, 2, 2, 3))
        self.weight2 = nn.Parameter(torch.randn(9, 2))
        self.weight3 = nn.Parameter(torch.randn(1, 1, 9, 3))
        self.weight4 = nn.Parameter(torch.randn(2, 9, 3))
        self.weight5 = nn.Parameter(torch.randn(9))
        self.layer0 = nn.Softshrink(0.3)
        self.register_buffer('state', torch.ones([4, 9]))

    def forward(self, x0, x1, x2):
        v0 = x1.abs().to(torch.uint8)
        v1 = x1.permute([1, 0]).contiguous()
        v2 = v0.reshape(1, 1, 3, 3, 4)
        v3 = torch.einsum('ab,d->dba', v1, self.weight0)
        v4 = F.scaled_dot_product_attention(v3.reshape(1, 2, 9, 4), self.buffer0, self.weight1, scale=0.3)
        v5 = v2 & 85
        v6 = torch.addcmul(v4, self.weight3, self.weight4, value=-1.5)
        v7 = torch.select_scatter(v1, self.weight5, 0, 3)
        v8 = self.layer0(v7)
        self.state.copy_(self.state * 0.25 + v8)
        v9 = v8 - self.state
        return (v8, v5, v9, v6, v1, )
