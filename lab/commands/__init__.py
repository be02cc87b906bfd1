"""What the laboratory's command line does, one module a command."""
