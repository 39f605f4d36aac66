"""Federated, differentially private topic modeling."""

__version__ = "0.1.0"
