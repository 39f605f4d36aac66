"""The commands of `fedtopics`: a file is called as its command is typed.

`fedtopics select-topics` is select_topics.py: the function of that name is the command, and the docstring of
the file is what `--help` prints. A family is a folder: `fedtopics federation run fetch` is
federation/run/fetch.py. application.py, and the folder's own file, name the commands by the panels in which
help shows them. What several share is in options/, tables.py, price.py, plan_shown.py, party_ledger.py,
chosen_run.py and on_cluster.py; what was typed otherwise before is in old_names.py.
"""
