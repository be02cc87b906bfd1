"""What every text can be brought into."""


def well_formed(text: str) -> str:
    """The same text without what no file or database takes: lone surrogates and NUL become U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\x00", "\ufffd")
