"""Encrypted copies of the database, the journal of erasures, and how a copy is put back."""
