"""Readers of public conversation data sets, each in the layout of its release. The data come by path, never with us."""
