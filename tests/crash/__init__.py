"""The process is killed at many points, and started again."""
