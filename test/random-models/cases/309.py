"""Random model 309."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer0 = nn.GroupNorm(1, 1).to(torch.float64)
        self.layer1 = nn.ConvTranspose2d(1, 1, (1, 1), stride=(2, 1), padding=(0, 0), output_padding=(0, 0), groups=1, bias=True, dilation=(1, 1)).to(torch.float64)
        self.layer3 = nn.Conv3d(5, 2, (5, 1, 1), stride=(2, 1, 1), padding=(1, 1, 1), dilation=(1, 1, 1), groups=1, bias=True).to(torch.float64)

    def forward(self, x0, x1, x2):
        v0 = torch.cat([x2, x2 * 2, x1], 1)
        v1 = torch.cat([x1, x1 * 2, x2], 1)
        v2 = self.layer0(x0.reshape(2, 1, 1))
        v3 = self.layer1(v2.reshape(2, 1, 1, 1))
        v4 = v0 @ v0.transpose(-1, -2)
        v5 = F.interpolate(v4, scale_factor=3, mode='nearest')
        v6 = 0.1 / v3
        v7 = self.layer3(v5.reshape(1, 5, 3, 9, 1))
        v8 = torch.round(v1)
        return (v7, v6, x0, {'a': [v8]}, )
