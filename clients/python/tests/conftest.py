from __future__ import annotations

import os

import pytest

from sabika_client import Kit, open_kit


@pytest.fixture(scope="session")
def kit() -> Kit:
    """Opens the kit of a running sandbox's partner: SABIKA_KIT, set by `npm run clients`."""
    folder = os.environ.get("SABIKA_KIT")
    if folder is None:
        pytest.skip("SABIKA_KIT names no kit of a running sandbox")
    return open_kit(folder)
