"""Checks of a reply before it is sent, whatever the model: what is wrong with it, and what of it can stay. Pure.

The words that they know are data (`words/*.yaml`, a file a language). `lab evaluate replies` measures how often they
are wrong on what people said to each other.
"""
