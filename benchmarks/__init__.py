"""What fedtopics costs and what its topics are worth; `python -m benchmarks list` names the cases."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
