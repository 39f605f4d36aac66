"""What a method promises an engine, and the engine that runs all parties in one process."""
