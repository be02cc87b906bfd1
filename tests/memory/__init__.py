"""Tests of bot/memory."""
