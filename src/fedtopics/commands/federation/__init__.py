"""`fedtopics federation`: found a federation, join it, review and accept its plan."""
