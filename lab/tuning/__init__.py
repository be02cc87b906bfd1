"""Training of the parts that can be trained."""
