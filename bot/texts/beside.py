"""What stands in YAML files beside the modules that need it: sentences, words, tables."""

from pathlib import Path
from typing import Any

import yaml


def read_beside(module: str, name: str = "") -> Any:
    """What the file `name`.yaml says; without a name, the one called as the module whose `__file__` this is.

    Takes some milliseconds.
    """
    file = Path(module).with_name(f"{name}.yaml") if name else Path(module).with_suffix(".yaml")
    return yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
