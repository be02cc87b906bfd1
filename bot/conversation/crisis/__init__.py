"""How people speak of danger to themselves and others, language by language."""
