from fedtopics.methods.pctd.sound import METHOD

__all__ = ["METHOD"]
