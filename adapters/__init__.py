"""Platforms. Each turns its events into utterances, and replies into messages."""
