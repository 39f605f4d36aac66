"""Federations of machines: folders of coordinator and parties, the jobs they run, who looks after them."""
