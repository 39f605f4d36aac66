"""Checks that anybody can run on a method, a mechanism or an engine of their own; ours run them too."""

from fedtopics.checks.mechanism import check_mechanism as check_mechanism
from fedtopics.checks.method import check_method as check_method
