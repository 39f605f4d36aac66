"""Documents and what is made of them before any training: text, files, corpora, their division."""
