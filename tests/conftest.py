"""Property tests draw the same examples in every run; FRESH_SEEDS=1 draws new ones. None has a deadline."""

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("fresh", deadline=None)
settings.load_profile("fresh" if os.environ.get("FRESH_SEEDS") else "same")
