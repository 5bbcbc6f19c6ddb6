"""The vectors of docs/vectors, against which the client of each language is tested."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parents[3] / "docs" / "vectors"
if "SABIKA_VECTORS" in os.environ:  # More of them, made by `npm run clients`.
    _FOLDER = Path(os.environ["SABIKA_VECTORS"])


def vectors(name: str) -> Any:
    return json.loads((_FOLDER / name).read_text("utf-8"))


def name_of(vector: Any) -> str | None:
    """Returns the name that pytest shows for a vector."""
    if not isinstance(vector, dict):
        return None
    return str(vector.get("name", vector.get("code", vector.get("text", ""))))


KEYS = {key["name"]: key for key in vectors("keys.json")["keys"]}
