"""The cases: a module placed here that has CASES is found by the registry; the others are their parts."""
