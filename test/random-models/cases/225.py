"""Random model 225."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.register_buffer('buffer0', torch.randint(0, 5, (1, 1, 2)))
        self.register_buffer('buffer1', (torch.randint(-5, 7, (2, 1, 1,), dtype=torch.int32)).permute(2, 1, 0))
        self.register_buffer('buffer2', torch.randint(-5, 7, (3, 2, 5,), dtype=torch.int32))
        self.layer2 = nn.Conv3d(3, 6, (5, 1, 2), stride=(3, 2, 3), padding=(2, 0, 2), dilation=(1, 1, 1), groups=3, bias=True).to(torch.float16)

    def forward(self, x0, x1):
        v0 = x1.repeat_interleave(2, 1)
        v1 = torch.scatter(v0, 2, self.buffer0, 2)
        v2 = torch.remainder(v1, 5)
        v3 = torch.where(v2 > 0, v2, self.buffer2)
        v4, v5, v6, v7, v8, = torch.split(v2, 1, 2)
        v9 = torch.sigmoid(v7)
        v10 = F.adaptive_max_pool1d(x0.reshape(3, 6, 5), 3)
        v11 = self.layer2(v10.reshape(3, 3, 2, 3, 1))
        return (v8, v11, v4, v9, v5, v3, v6, )
