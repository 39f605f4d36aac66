"""A party on several machines: its documents in shards, on the workers of its own Dask cluster."""
