"""Discord: servers, threads and DMs, through discord.py."""
