"""The coordinator: its port, its rounds, its folder."""
