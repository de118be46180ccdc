"""Random model 301."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer0 = nn.ELU(0.7)
        self.layer1 = nn.SELU()
        self.layer2 = nn.Softplus()
        self.layer3 = nn.Conv2d(1, 2, (3, 3), stride=(1, 3), padding=(1, 1), dilation=(1, 1), groups=1, bias=False)
        self.register_buffer('buffer0', torch.randn(1, 2, 1, 1))

    def forward(self, x0):
        v0 = self.layer0(x0)
        v1 = self.layer1(v0)
        v2 = self.layer2(v1)
        v3 = torch.fmod(v2, -3)
        v4 = self.layer3(v1.reshape(1, 1, 1, 1))
        v5 = torch.maximum(v4, self.buffer0)
        v6, v7, = torch.topk(v5, 1, dim=0, largest=False)
        v8 = F.adaptive_avg_pool2d(v5, (2, 1))
        v9 = torch.neg(v5)
        return (v7, v3, {'a': [v9, v8, v2, v6]}, )
