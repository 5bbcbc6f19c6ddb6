from __future__ import annotations

import os

import pytest

from sabika_client import Kit, open_kit


@pytest.fixture(scope="session")
def kit() -> Kit:
    """The kit of a partner of a running sandbox: SABIKA_KIT, as `npm run clients` sets it."""
    folder = os.environ.get("SABIKA_KIT")
    if folder is None:
        pytest.skip("SABIKA_KIT names no kit of a running sandbox")
    return open_kit(folder)
