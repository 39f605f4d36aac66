from fedtopics.methods.ftm.integrated_topics import METHOD

__all__ = ["METHOD"]
