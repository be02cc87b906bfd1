"""The long-term memory in SQL: events, traits, the graph between them, passages."""
