"""Shared: federated LDA by summed counts, without privacy."""

from fedtopics.methods.shared.method import Shared

METHOD = Shared
