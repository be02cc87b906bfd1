"""Both bots against servers of our own, over real sockets."""
