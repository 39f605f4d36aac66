from fedtopics.methods.lplda.paper import METHOD

__all__ = ["METHOD"]
