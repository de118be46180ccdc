"""Random model 310."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer0 = nn.Conv1d(2, 2, 2, stride=1, padding=0, dilation=1, groups=2, bias=False)
        self.buffer0 = nn.Buffer(torch.randint(0, 9, (6, 1, 5)))
        self.buffer1 = nn.Buffer(torch.randn(1, 2, 3))

    def forward(self, x0, x1, x2):
        v0 = x2.unsqueeze(1)
        v1 = self.layer0(x0.reshape(5, 2, 4))
        v2 = torch.div(v1, -1.3, rounding_mode='trunc')
        v3 = torch.gather(v0, 0, self.buffer0)
        v4 = ~v3
        v5 = -v4
        v6 = v3 + torch.arange(5, dtype=torch.int8)
        v7 = v2 + v1
        v8 = torch.slice_scatter(v2, self.buffer1, 0, 4)
        return {'r0': v6, 'r1': v7, 'r2': v8, 'r3': v3, 'r4': v4, 'r5': v5}
