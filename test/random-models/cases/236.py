"""Random model 236."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer0 = nn.Hardtanh(-0.5, 1.5)
        self.layer1 = nn.MultiheadAttention(1, 1, batch_first=True, bias=False)
        self.layer2 = nn.Linear(1, 9, bias=True)
        self.weight0 = nn.Parameter(torch.randn(3, 2, 3))

    def forward(self, x0, x1):
        v0 = torch.cos(x0)
        v1 = self.layer0(v0)
        v2 = torch.trunc(v1)
        v3 = torch.logsumexp(v2, dim=2)
        v4 = self.layer1(v3, v3, v3, need_weights=False)[0]
        v5 = torch.where(v4 > 0, v4, 1)
        v6 = self.layer2(v5)
        v7 = F.pad(v4, [0, 2], mode='constant', value=-2)
        v8 = torch.einsum('abc,abc->a', v7, self.weight0)
        return {'r0': x1, 'r1': v8, 'r2': v6, 'r3': v6}
