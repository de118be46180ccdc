"""Random model 315."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.weight0 = nn.Parameter((torch.randn(1, 5, 2)).permute(2, 1, 0))
        self.layer0 = nn.GRU(1, 3, num_layers=1, bidirectional=False, batch_first=False, bias=True)
        self.layer3 = nn.Linear(3, 1, bias=True)

    def forward(self, x0, x1, x2):
        v0 = x1 ^ 7
        v1 = torch.log10(x2)
        v2 = torch.div(v1, -1.3, rounding_mode='trunc')
        v3 = torch.isnan(v2)
        v4 = v2.masked_fill(v3, 2)
        v5 = self.layer0(x0)[0]
        v6 = self.layer3(v5)
        v7 = F.normalize(v1, dim=1)
        v8 = v6.argmin(0, keepdim=False)
        return {'r0': v8, 'r1': x0, 'r2': v3, 'r3': v0, 'r4': v4, 'r5': v7}
