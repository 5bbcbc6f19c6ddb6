"""The kit of a running sandbox's partner, as `npm run clients` names it in variables."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sabika_client import Kit, KitValues, open_kit, pkcs11_signer


@pytest.fixture(scope="session")
def kit() -> Iterator[Kit]:
    """Opens the kit; if SABIKA_TOKEN_MODULE is set, its signing key is in that token."""
    folder = os.environ.get("SABIKA_KIT")
    if folder is None:
        pytest.skip("SABIKA_KIT names no kit of a running sandbox")
    module = os.environ.get("SABIKA_TOKEN_MODULE")
    if module is None:
        yield open_kit(folder)
        return
    import pkcs11

    token = pkcs11.lib(module).get_token(token_label="sabika")
    with token.open(user_pin=os.environ["SABIKA_TOKEN_PIN"]) as session:
        signer = pkcs11_signer(session, "signing")
        # `ssl` takes a certificate's key from a file alone.
        client_key = Path(folder, "client.key").read_text()
        keyless = os.environ["SABIKA_TOKEN_KIT"]
        yield open_kit(KitValues(keyless, client_key=client_key, signer=signer))
