from fedtopics.methods.fedlda.paper import METHOD

__all__ = ["METHOD"]
