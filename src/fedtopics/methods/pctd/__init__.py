"""PC-TD: semantic units of one topic each."""
