"""LP-LDA: users send the words of a document as noisy bits."""
