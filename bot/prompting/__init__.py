"""What a model is asked for besides a reply: the templates, and tasks whose answers are parsed and never trusted."""
