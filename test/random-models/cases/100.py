"""Random model 100."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer0 = nn.Softsign()
        self.layer1 = nn.ConvTranspose2d(1, 2, (1, 2), stride=(1, 2), padding=(0, 0), output_padding=(0, 0), groups=1, bias=True, dilation=(1, 1))
        self.buffer0 = nn.Buffer(torch.randn(1, 3, 1, 5))
        self.layer2 = nn.Tanh()

    def forward(self, x0, x1):
        v0 = self.layer0(x1)
        v1 = torch.square(v0)
        v2 = v1.flatten(2)
        v3 = F.avg_pool3d(v1, (2, 1, 2), stride=(3, 3, 3), padding=(0, 0, 0), ceil_mode=True, count_include_pad=True)
        v4 = torch.frac(v0)
        v5 = self.layer1(x0.reshape(1, 1, 8, 5))
        v6 = torch.fmod(v4, self.buffer0)
        v7 = self.layer2(v5)
        return [v6, v2, v3, v7]
