"""Tests of bot/tuning."""
