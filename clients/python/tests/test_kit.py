from __future__ import annotations

import json
import shutil
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization

from sabika_client import (
    Client,
    Kit,
    KitError,
    KitValues,
    SignerFailed,
    load_private_key,
    open_kit,
)
from sabika_client.signing import sign_detached


def test_a_folder_without_a_kit_is_named(tmp_path: Path) -> None:
    with pytest.raises(KitError, match=r"partner\.json: it is missing"):
        open_kit(tmp_path)


def test_a_kit_does_not_show_its_secrets(kit: Kit) -> None:
    shown = repr(kit)
    assert kit.client_id in shown
    assert kit.client_secret not in shown
    assert kit.webhook_secret is not None
    assert kit.webhook_secret not in shown


def test_a_kit_with_a_wrong_file_is_refused_by_its_name(kit: Kit, tmp_path: Path) -> None:
    folder = tmp_path / "kit"
    assert kit.folder is not None
    shutil.copytree(kit.folder, folder)
    (folder / "client.key").write_text((folder / "signing.key").read_text())
    with pytest.raises(KitError, match=r"client\.key: it does not belong to client\.crt"):
        open_kit(folder)
    shutil.copytree(kit.folder, folder, dirs_exist_ok=True)
    (folder / "signing.key").write_text((folder / "client.key").read_text())
    with pytest.raises(KitError, match=r"signing\.key: it is not the key that is registered"):
        open_kit(folder)
    (folder / "signing.key").write_text("no key")
    with pytest.raises(KitError, match=r"signing\.key: "):
        open_kit(folder)
    shutil.copytree(kit.folder, folder, dirs_exist_ok=True)
    partner = json.loads((folder / "partner.json").read_text())
    del partner["client_secret"]
    (folder / "partner.json").write_text(json.dumps(partner))
    assert open_kit(folder).client_secret == "", "the certificate alone fetches tokens"
    del partner["client_id"]
    (folder / "partner.json").write_text(json.dumps(partner))
    with pytest.raises(KitError, match="client_id is missing"):
        open_kit(folder)


def variables(kit: Kit) -> dict[str, str]:
    """Makes variables of all values of a kit, PEM on one line."""
    assert kit.folder is not None
    partner = json.loads((kit.folder / "partner.json").read_text())
    texts = {name: value for name, value in partner.items() if isinstance(value, str)}
    for name in ("ca.crt", "client.crt", "client.key", "signing.key"):
        text = (kit.folder / name).read_text()
        texts[name.replace(".", "_")] = text.replace("\n", "\\n")
    return {f"SABIKA_KIT_{name.upper()}": text for name, text in texts.items()}


def test_a_kit_is_read_from_the_environment(kit: Kit) -> None:
    found = open_kit(environ=variables(kit))
    assert (found.folder, found.signing_key_id) == (None, kit.signing_key_id)
    with Client(found) as client:
        assert client.probe().verified
    environ = {"SABIKA_KIT": str(kit.folder), "SABIKA_KIT_BASE_URL": "https://bank.test"}
    found = open_kit(environ=environ)
    assert (found.base_url, found.client_id) == ("https://bank.test", kit.client_id)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("CLIENT_ID", "", r"^partner\.json: client_id is missing"),
        ("CA_CRT", "", r"^ca\.crt: it holds no certificate in PEM"),
        ("CA_CRT", "no certificate", r"^ca\.crt: it holds no certificate in PEM"),
        ("CLIENT_CRT", "", r"^client\.key: it does not belong to client\.crt"),
        ("SIGNING_KEY", "", r"^signing\.key: .*; PEM, PKCS #8, P-256"),
    ],
)
def test_a_value_that_is_wrong_is_named(kit: Kit, name: str, text: str, message: str) -> None:
    with pytest.raises(KitError, match=message):
        open_kit(environ=variables(kit) | {f"SABIKA_KIT_{name}": text})


def test_keys_may_have_a_passphrase(kit: Kit) -> None:
    assert kit.folder is not None
    encrypted = {}
    for name in ("client_key", "signing_key"):
        key = load_private_key((kit.folder / name.replace("_", ".")).read_text())
        encryption = serialization.BestAvailableEncryption(b"a passphrase")
        form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)
        encrypted[name] = key.private_bytes(*form).decode()
    values = KitValues(
        kit.folder,
        client_key=encrypted["client_key"],
        signing_key=encrypted["signing_key"],
        passphrase="a passphrase",
    )
    assert open_kit(values).signing_key_id == kit.signing_key_id
    assert "passphrase" not in repr(values)
    for lacking in (replace(values, passphrase=None), replace(values, passphrase="another")):
        with pytest.raises(KitError, match=r"signing\.key: "):
            open_kit(lacking)
        with pytest.raises(KitError, match=r"client\.key: "):
            open_kit(replace(lacking, signer=kit.signer))


class Away:
    """A signer in a token that is away so many times."""

    def __init__(self, kit: Kit, times: int) -> None:
        self._signer = kit.signer
        self.key_id = kit.signer.key_id
        self.times = times

    def sign(self, data: bytes) -> bytes:
        self.times -= 1
        if self.times >= 0:
            raise OSError("the token was removed")
        return self._signer.sign(data)


def test_a_signer_that_fails_is_asked_again(kit: Kit) -> None:
    signer = Away(kit, 1)
    pauses: list[float] = []
    with Client(open_kit(KitValues(kit.folder, signer=signer)), sleep=pauses.append) as client:
        assert client.probe().verified
        assert len(pauses) == 1
        signer.times = 6
        with pytest.raises(SignerFailed) as failed:
            client.withdraw(Decimal("1"), idempotency_key="w")
    assert isinstance(failed.value.__cause__, OSError)
    assert (failed.value.idempotency_key, failed.value.retryable) == ("w", True)


class Der:
    """A signer with a mistake: it returns DER."""

    key_id = "A" * 43

    def sign(self, data: bytes) -> bytes:
        return b"0E" + bytes(69)


def test_a_signer_that_is_not_registered_or_returns_der_is_refused(kit: Kit) -> None:
    with pytest.raises(KitError, match="it is not the key that is registered"):
        open_kit(KitValues(kit.folder, signer=Der()))
    with pytest.raises(ValueError, match="r‖s, 64 bytes, not DER"):
        sign_detached("text", Der())
