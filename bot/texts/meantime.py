"""What is shown of time that has passed: in the console when its clock jumps ahead, and in replays."""

NOTHING_CAME = "Nothing came meanwhile, until {until}."
WHY_NOT = "Why not at other times: {reasons}."
NO_ZONE = "No check-in came: nobody knows your time zone. /checkin timezone CITY tells me."
REASON = "{times}: {reason} ({count})"
CAME = "{when} — "


def counted(number: int) -> str:
    """How often, in words: "once", "twice", "3 times"."""
    return {1: "once", 2: "twice"}.get(number, f"{number} times")
