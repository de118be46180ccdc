"""Random model 326."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer0 = nn.LogSigmoid()

    def forward(self, x0):
        v0 = x0.clamp(-1, 1)
        v1 = self.layer0(x0)
        return (v0, v1, )
