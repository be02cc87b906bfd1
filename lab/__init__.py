"""The laboratory: what measures and trains the companion. It imports `bot`, and `bot` never imports it."""
