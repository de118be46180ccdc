"""Random model 107."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.register_buffer('buffer0', torch.randint(-5, 7, (4, 5, 2, 1,), dtype=torch.int16).contiguous(memory_format=torch.channels_last))
        self.register_buffer('buffer1', torch.randint(-5, 7, (2, 1,), dtype=torch.int16))
        self.weight0 = nn.Parameter(torch.randn(2, 1))
        self.buffer2 = nn.Buffer((torch.randn(2, 1, 5, 1)).permute(3, 2, 1, 0))
        self.layer1 = nn.Softplus(2, 1)
        self.register_buffer('buffer3', torch.randint(-5, 7, (1, 1, 1, 1,), dtype=torch.int16))

    def forward(self, x0, x1, x2):
        v0 = x2.masked_fill(x2 > 1, 0)
        v1 = torch.where(v0 > 1, v0, 0)
        v2 = v1.any(-1, keepdim=False)
        v3 = torch.pow(2, x0)
        v4 = torch.matmul(v3, self.buffer2)
        v5 = self.layer1(v4)
        v6 = torch.exp(v2)
        v7 = torch.div(v0, self.buffer3)
        v8 = F.adaptive_avg_pool2d(v5, (3, 2))
        return (v6, v8, v7, )
