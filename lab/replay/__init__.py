"""What `lab replay` reads and writes."""
