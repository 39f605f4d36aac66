"""The commands of `fedtopics`: a file is called as its command is typed.

`fedtopics select-topics` is select_topics.py: the function of that name is the command, and the docstring of
the file is what `--help` prints. A family is one file: `fedtopics run fetch` is in run.py. application.py
puts them together; what several share is in options.py and tables.py.
"""
