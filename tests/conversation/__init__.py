"""Tests of conversation."""
