"""Sampling on a GPU (`fedtopics[gpu]`): the same kernels, half a warp for each vector, so the same bits.

The sources are the `.cu` files of `_core`, compiled at run time for the card that is there.
"""
