"""Texts into words, sentences and word ids.

preparation   all of it: texts over the vocabulary that the options choose
tokens        a text cut into words and sentences, by language
stop_words    words without a topic of their own
word_filter   which words make the vocabulary
indexing      documents as arrays of word ids
words         what may be a word at all
harmless      texts from outside, where they are shown
"""
