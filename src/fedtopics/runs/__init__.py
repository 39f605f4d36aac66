"""From documents to a record: training, its result, several of them side by side."""
