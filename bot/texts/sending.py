"""What is said when something cannot be sent, on any platform. It stands in the log."""

MAY_HAVE_ARRIVED = "A check-in may have arrived already, so it is not sent a second time."
NOT_THERE = "A check-in did not arrive, and it is too late for it."
