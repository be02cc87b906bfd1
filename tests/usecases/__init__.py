"""Tests of the commands' use cases."""
