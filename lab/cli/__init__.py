"""The groups of commands of the laboratory, one module a group."""
