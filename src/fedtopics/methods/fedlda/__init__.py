from fedtopics.methods.fedlda.sound import METHOD

__all__ = ["METHOD"]
