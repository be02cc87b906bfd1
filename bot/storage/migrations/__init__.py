"""Alembic migrations: `env.py` and one module a step in `versions`."""
