"""The composition root: how the program is put together from its settings, runs, and is doing."""
