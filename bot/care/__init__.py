"""Check-ins: the companion opens the conversation. Nothing lives here yet."""
