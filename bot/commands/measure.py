"""`bot tune` and `bot evaluate`: the parts that learn, trained and measured."""

from __future__ import annotations
