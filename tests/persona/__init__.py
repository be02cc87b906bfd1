"""Tests of persona."""
