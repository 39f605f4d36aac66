from fedtopics.methods.lplda.sound import METHOD

__all__ = ["METHOD"]
