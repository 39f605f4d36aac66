"""Checks that anybody can run on a method, a mechanism or an engine of their own; ours run them too."""

from fedtopics.checks.engine import check_engine

__all__ = ["check_engine"]
