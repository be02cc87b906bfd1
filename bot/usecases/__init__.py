"""One method a command, with no platform in sight."""
