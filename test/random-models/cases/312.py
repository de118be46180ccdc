"""Random model 312."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.buffer0 = nn.Buffer((torch.randn(5, 3)).permute(1, 0))
        self.weight0 = nn.Parameter(torch.randn(1, 3, 5))
        self.register_buffer('buffer1', torch.randn(1, 3, 3))
        self.weight1 = nn.Parameter(torch.randn(3, 3))

    def forward(self, x0):
        v0 = torch.remainder(x0, self.buffer0)
        v1 = F.scaled_dot_product_attention(x0.reshape(1, 3, 5), self.weight0, self.buffer1, attn_mask=self.weight1)
        return (v0, v1, v0, )
