"""The commands of `fedtopics`, one file per family; each adds its own to the application."""
