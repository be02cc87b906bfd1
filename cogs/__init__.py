"""Discord slash-command groups. Nothing lives here yet."""
