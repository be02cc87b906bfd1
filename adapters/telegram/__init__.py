"""Telegram: private chats, groups and their topics, through python-telegram-bot."""
