"""The language model and the text encoder."""
