"""Random model 247."""
import torch
from torch import nn
from torch.nn import functional as F


class Random(nn.Module):

    def __init__(self):
        super().__init__()

    def forward(self, x0):
        v0 = torch.sqrt(x0.abs())
        v1 = v0.reshape(9, 1, 1)
        v2 = v0.argmin(-1, keepdim=False)
        return (v1, v2, )
