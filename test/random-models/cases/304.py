"""Random model 304."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.register_buffer('buffer0', torch.randn(11, 9))
        self.register_buffer('buffer1', torch.randn(11, 1, 2, 3).contiguous(memory_format=torch.channels_last))
        self.buffer2 = nn.Buffer((torch.randn(3, 2, 1, 11)).permute(3, 2, 1, 0))
        self.weight0 = nn.Parameter(torch.randn(3, 2))
        self.layer0 = nn.Conv2d(1, 1, (3, 3), stride=(1, 2), padding=(0, 1), dilation=(1, 1), groups=1, bias=True)

    def forward(self, x0, x1):
        v0 = x1.masked_fill(x1 > 1, 1)
        v1 = F.scaled_dot_product_attention(v0.reshape(11, 1, 3, 3), self.buffer1, self.buffer2)
        v2 = self.layer0(v1)
        v3 = torch.roll(v2, 2)
        v4 = torch.copysign(v3, v2)
        v5 = torch.neg(v3)
        v6 = v1.mT
        v7 = v0.prod(1, keepdim=True)
        v8 = F.adaptive_max_pool2d(v3, (2, 3))
        return (v5, v4, v8, v7, v6, v6, )
