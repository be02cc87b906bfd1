"""The Telegram adapter, against a Telegram of our own."""
