"""Checks that anybody can run on a method, a mechanism or an engine of their own; ours run them too."""

from fedtopics.checks.engine import check_engine
from fedtopics.checks.mechanism import check_mechanism
from fedtopics.checks.method import check_method

__all__ = ["check_engine", "check_mechanism", "check_method"]
