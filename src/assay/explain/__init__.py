"""Where the loss went: budget of causes, phases, sanity checks, bottleneck.

Here belongs what a loss is made of and what the figures say about its cause. Numbers come in as values;
nothing here opens a file, reads a clock or knows how a figure is shown.
"""
