"""Random model 319."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.register_buffer('buffer0', (torch.randn(1, 3, 1).to(torch.bfloat16)).permute(2, 1, 0))
        self.weight0 = nn.Parameter((torch.randn(3, 3, 1).to(torch.bfloat16)).permute(2, 1, 0))
        self.weight1 = nn.Parameter(torch.randn(1, 3).to(torch.bfloat16))
        self.layer0 = nn.ReLU6().to(torch.bfloat16)

    def forward(self, x0):
        v0 = F.scaled_dot_product_attention(x0.reshape(1, 1, 1), self.buffer0, self.weight0, is_causal=True)
        v1 = v0.transpose(1, 1)
        v2 = self.layer0(v1)
        v3 = torch.tril(v2, 0)
        v4 = torch.log1p(v2)
        v5 = v3.to(torch.int16)
        return (v4, v5, )
