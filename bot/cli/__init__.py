"""The groups of commands of the command line, one module a group."""
