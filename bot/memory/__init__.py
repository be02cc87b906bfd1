"""The long-term memory: events, their topics, their scores, and who may read them."""
