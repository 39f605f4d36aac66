"""`fedtopics privacy`: what a run costs, before it is run and after."""
