"""The cases, each a function below `@case`; what several of them share stands beside them."""
