from fedtopics.methods.ftm.sound import METHOD

__all__ = ["METHOD"]
