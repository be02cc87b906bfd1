"""Hello Again: a companion bot that remembers people for years."""
