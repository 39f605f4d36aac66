"""A party: what it answers, and what it keeps on its disk."""
