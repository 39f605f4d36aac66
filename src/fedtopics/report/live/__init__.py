"""A run under way as a page on this machine: what a coordinator, or a party, may see of it."""
