"""The tables, the vectors and the migrations."""
