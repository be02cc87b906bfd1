"""Readers of public data sets, and the benchmarks that run on them."""
