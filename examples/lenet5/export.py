"""Exports LeNet-5 from PyTorch, with an input and PyTorch's own output: what the demo starts from.

Needs torch and numpy. The files beside this script were made so, from other random weights.
"""
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class LeNet5(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.view(x.size(0), -1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return F.log_softmax(self.fc3(x), dim=1)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = LeNet5().eval()
    x = torch.randn(1, 1, 28, 28)
    torch.export.save(torch.export.export(model, (x,)), "lenet5.pt2")
    np.save("input.npy", x.numpy())
    np.save("expected.npy", model(x).detach().numpy())
