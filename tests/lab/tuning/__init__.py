"""Tests of lab/tuning."""
