"""Random model 302."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer0 = nn.Softsign().to(torch.bfloat16)
        self.layer2 = nn.Linear(1, 2, bias=True).to(torch.bfloat16)
        self.layer3 = nn.ConvTranspose2d(1, 1, (3, 2), stride=(2, 1), padding=(0, 1), output_padding=(0, 0), groups=1, bias=True, dilation=(2, 2)).to(torch.bfloat16)

    def forward(self, x0, x1):
        v0 = x0.reshape(9, 1, 1)
        v1 = self.layer0(v0)
        v2 = torch.stack([x1, x1, ~x1], 0)
        v3 = self.layer2(v1)
        v4 = torch.sign(v3)
        v5 = self.layer3(v1.reshape(9, 1, 1, 1))
        return ({'a': [v5, v2, v4]}, )
