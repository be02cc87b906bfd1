"""What people decided, who they are on several platforms, and what is kept of them."""
