"""Texts into words, sentences and word ids."""
