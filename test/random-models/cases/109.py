"""Random model 109."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer0 = nn.Conv1d(11, 3, 1, stride=1, padding=2, dilation=1, groups=1, bias=True).to(torch.float64)
        self.weight0 = nn.Parameter((torch.randn(1, 1, 2).to(torch.float64)).permute(2, 1, 0))
        self.buffer1 = nn.Buffer((torch.randn(2, 11, 2).to(torch.float64)).permute(2, 1, 0))
        self.layer2 = nn.Conv1d(3, 3, 1, stride=1, padding=0, dilation=1, groups=1, bias=True).to(torch.float64)

    def forward(self, x0, x1):
        v0 = torch.diagonal(x1, -1, -2, -1)
        v1 = v0.repeat([1])
        v2 = torch.cat([x0, x0], 0)
        v3 = self.layer0(v2)
        v4 = v2[4:10:3]
        v5 = torch.clamp(v4, self.weight0 - 1, self.buffer1 + 2)
        v6 = self.layer2(v3)
        return [v5, v6, v1, v1]
