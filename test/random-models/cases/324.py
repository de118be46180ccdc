"""Random model 324."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer0 = nn.Linear(2, 7, bias=False).to(torch.float64)
        self.layer1 = nn.Conv1d(1, 2, 2, stride=2, padding=2, dilation=1, groups=1, bias=True).to(torch.float64)
        self.layer2 = nn.Conv2d(1, 1, (2, 1), stride=(1, 1), padding='same', dilation=(1, 1), groups=1, bias=True).to(torch.float64)
        self.weight0 = nn.Parameter((torch.randn(2, 1, 5).to(torch.float64)).permute(2, 1, 0))

    def forward(self, x0):
        v0 = self.layer0(x0)
        v1 = self.layer1(v0)
        v2 = self.layer2(x0.reshape(5, 1, 1, 2))
        v3 = torch.copysign(x0, self.weight0)
        v4 = F.pad(v2.reshape(5, 2), [2, 1], mode='replicate')
        return {'r0': v3, 'r1': v4, 'r2': v1}
