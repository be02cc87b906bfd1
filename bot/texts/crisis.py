"""What is said when somebody is in danger: `crisis.yaml`, fixed texts by language (ISO 639-1), never a model's.

It is read when this is imported, which the program does at its start: nothing is read when somebody is in danger.
"""

from collections.abc import Mapping

from bot.texts.beside import read_beside

_READ: Mapping[str, Mapping[str, str]] = read_beside(__file__)

TO_SELF = _READ["to_self"]
"""For people in danger themselves, and wherever it is not plain who is."""
TO_FRIEND = _READ["to_friend"]
"""For people who worry about somebody who may harm themselves."""
TO_OTHERS = _READ["to_others"]
"""For people who may harm somebody else."""
IN_CHANNEL = _READ["in_channel"]
"""What a channel sees where the text itself went to the person alone."""
BELOW_REPLY = _READ["below_reply"]
"""Below an ordinary reply, where danger is not plain."""

LINE = "• {name}: {reach}"
LINE_WITH_HOURS = "• {name}: {reach} ({hours})"
