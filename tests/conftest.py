"""Property tests draw the same examples in every run; FRESH_SEEDS=1 draws new ones."""

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True)
if not os.environ.get("FRESH_SEEDS"):
    settings.load_profile("same")
