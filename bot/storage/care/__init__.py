"""Check-ins and personality types in SQL."""
