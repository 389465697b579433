"""Words by what they say, from data/words.json: regular expressions, without case."""

import importlib.resources
import json
from typing import Any

WORDS: dict[str, Any] = json.loads((importlib.resources.files(__package__) / "data/words.json").read_text(encoding="utf-8"))
