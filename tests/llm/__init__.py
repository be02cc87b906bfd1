"""Tests of bot/llm."""
