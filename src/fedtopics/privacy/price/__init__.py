"""What a release costs: events, prices, the ledger that adds them up, and the epsilon they come to."""
