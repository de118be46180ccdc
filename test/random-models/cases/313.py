"""Random model 313."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.register_buffer('buffer0', torch.randn(3, 5).to(torch.float64))
        self.layer0 = nn.Hardtanh(-0.5, 1.5).to(torch.float64)
        self.layer1 = nn.BatchNorm3d(1, affine=True).to(torch.float64)
        self.weight0 = nn.Parameter(torch.randn(3, 15).to(torch.float64))
        self.layer3 = nn.Linear(5, 9, bias=True).to(torch.float64)
        self.layer4 = nn.ConvTranspose2d(1, 2, (2, 3), stride=(1, 2), padding=(1, 1), output_padding=(0, 0), groups=1, bias=False, dilation=(1, 1)).to(torch.float64)

    def forward(self, x0):
        v0 = torch.matmul(x0, self.buffer0)
        v1 = self.layer0(v0)
        v2 = 0.5 - v1
        v3 = torch.cat([v2, v2 * 2, v1], 1)
        v4 = self.layer1(v1.reshape(1, 1, 2, 5, 1))
        v5 = torch.einsum('ab,cb->abc', v3, self.weight0)
        v6 = torch.div(v2, v1)
        v7 = self.layer3(v2)
        v8 = self.layer4(v2.reshape(2, 1, 5, 1))
        return (v6, {'a': [v1, v4, v5, v7, v8]}, )
