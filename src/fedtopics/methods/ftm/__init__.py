"""FTM and iFTM: federated topic modeling with heterogeneous parties."""
