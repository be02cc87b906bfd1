"""The vector index is brought up to the tables: with the encoder that serves, and beside it with the next one."""
