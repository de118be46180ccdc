"""Random model 148."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer0 = nn.ConvTranspose2d(3, 6, (1, 3), stride=(1, 2), padding=(1, 0), output_padding=(0, 1), groups=3, bias=False, dilation=(2, 1))
        self.layer1 = nn.RMSNorm([6, 6, 4])
        self.layer2 = nn.BatchNorm3d(6, affine=True)
        self.layer3 = nn.Hardsigmoid()
        self.layer4 = nn.Conv2d(6, 6, (3, 3), stride=(1, 1), padding=(0, 2), dilation=(1, 1), groups=3, bias=True)

    def forward(self, x0):
        v0 = self.layer0(x0.reshape(1, 3, 8, 1))
        v1 = torch.cat([v0, v0], 0)
        v2 = self.layer1(v1)
        v3 = self.layer2(v1.reshape(2, 6, 2, 3, 4))
        v4 = self.layer3(v0)
        v5 = self.layer4(v2)
        v6 = torch.sign(v5)
        return {'r0': v6, 'r1': v4, 'r2': x0, 'r3': v1, 'r4': v0, 'r5': v3}
