"""FedLDA: federated LDA among users with one document each."""
