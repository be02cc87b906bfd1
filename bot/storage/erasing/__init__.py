"""Erasing rows and files whole, and looking for what is left of them."""
