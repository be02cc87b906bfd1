"""One message to one reply: the queue, the short-term memory, the prompt and the turn."""
