"""Random model 162."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer0 = nn.Linear(1, 9, bias=True)
        self.layer1 = nn.ReLU(inplace=True)
        self.weight0 = nn.Parameter(torch.randn(8, 2, 1))
        self.weight1 = nn.Parameter(torch.randn(8, 2, 3))
        self.weight2 = nn.Parameter((torch.randn(2, 4)).permute(1, 0))

    def forward(self, x0):
        v0 = self.layer0(x0)
        v1 = self.layer1(v0 * 1)
        v2 = v1.mean([0, 1, 2], keepdim=False)
        v3, = torch.unbind(x0, 2)
        v4 = F.scaled_dot_product_attention(v3.reshape(8, 4, 1), self.weight0, self.weight1, attn_mask=self.weight2)
        v5 = torch.where(x0 > 1, x0, 2)
        return [v4, v5]
