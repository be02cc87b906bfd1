"""Where an address leads. Pure."""

from ipaddress import ip_address
from urllib.parse import urlsplit


def is_this_machine(url: str) -> bool:
    """Whether an address certainly leads to the machine that this runs on."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
