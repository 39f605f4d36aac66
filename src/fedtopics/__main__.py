"""`python -m fedtopics`: the command line."""

from fedtopics.commands.application import main

main()
