"""The partner kit: a partner's credentials and addresses (Decision D43)."""

from __future__ import annotations

import json
import os
import ssl
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from .signing import KeySigner, Signer, load_private_key


class KitError(Exception):
    """A kit is unusable; the message names the file or value and the remedy, never its contents."""


@dataclass(frozen=True)
class KitValues:
    """What a kit consists of. What is None is read from the folder, if there is one."""

    folder: str | Path | None = None
    environment: str | None = None
    base_url: str | None = None
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    webhook_secret: str | None = field(default=None, repr=False)
    webhook_url: str | None = None
    signing_key_id: str | None = None
    #: The authority of the service's certificate, and the client's certificate, in PEM.
    ca_crt: str | None = field(default=None, repr=False)
    client_crt: str | None = field(default=None, repr=False)
    #: The private keys in PEM (PKCS #8), and the passphrase if they are encrypted.
    client_key: str | None = field(default=None, repr=False)
    signing_key: str | None = field(default=None, repr=False)
    passphrase: str | None = field(default=None, repr=False)
    #: Goes before `signing_key`: a key that stays where it is.
    signer: Signer | None = None
    #: Goes before `ca_crt`, `client_crt` and `client_key`.
    tls: ssl.SSLContext | None = field(default=None, repr=False)

    @staticmethod
    def from_environment(environ: Mapping[str, str] = os.environ) -> KitValues:
        """Reads SABIKA_KIT, the folder, and a variable SABIKA_KIT_… for each value that is a text.

        In PEM `\\\\n` is a line feed.
        """
        texts: dict[str, Any] = {
            name: environ.get(f"SABIKA_KIT_{name.upper()}") or None for name in _TEXTS
        }
        for name in _FILES:
            texts[name] = (texts[name] or "").replace("\\n", "\n") or None
        return KitValues(environ.get("SABIKA_KIT") or None, **texts)


#: The members of partner.json, and the files, that are texts.
_MEMBERS = (
    "environment",
    "base_url",
    "client_id",
    "client_secret",
    "webhook_secret",
    "webhook_url",
    "signing_key_id",
)
_FILES = ("ca_crt", "client_crt", "client_key", "signing_key")
_TEXTS = (*_MEMBERS, *_FILES, "passphrase")


@dataclass(frozen=True)
class Kit:
    """A partner's credentials and addresses. Its repr omits secrets and keys."""

    #: None if the kit has none.
    folder: Path | None
    environment: str
    #: Part of signatures, so it is never rewritten (Decision D20).
    base_url: str
    client_id: str
    #: Empty if the certificate alone authenticates the client (tls_client_auth).
    client_secret: str = field(repr=False)
    webhook_secret: str | None = field(repr=False)
    webhook_url: str | None
    signer: Signer = field(repr=False)
    #: The RFC 7638 thumbprint of the signing key.
    signing_key_id: str
    tls: ssl.SSLContext = field(repr=False)

    @property
    def signing_key(self) -> ec.EllipticCurvePrivateKey:
        """The private key of the signer. Raises KitError if it is not in memory."""
        if isinstance(self.signer, KeySigner):
            return self.signer.key
        raise KitError("signing.key: the signer keeps it")

    def ssl_context(self) -> ssl.SSLContext:
        """Returns the context for mutual TLS that trusts only ca.crt and presents client.crt."""
        return self.tls

    def receiver_ssl_context(self) -> ssl.SSLContext:
        """Makes a context for an HTTPS webhook receiver on localhost; only sandbox kits have its key."""
        if self.folder is None:
            raise KitError("receiver.key: the kit has no folder")
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        certificate, key = self.folder / "receiver.crt", self.folder / "receiver.key"
        _load_certificate(context, _read(certificate), _read(key), None, str(key))
        return context


def open_kit(
    source: str | Path | KitValues | None = None, *, environ: Mapping[str, str] = os.environ
) -> Kit:
    """Opens a kit and checks it: that of a folder, of values, or of the environment by default.

    Raises KitError if it is unusable.
    """
    if source is None:
        source = KitValues.from_environment(environ)
    values = source if isinstance(source, KitValues) else KitValues(source)
    folder = None if values.folder is None else Path(values.folder)
    if folder is not None:
        values = _read_folder(folder, values)

    def name_of(part: str) -> str:
        return part if folder is None else str(folder / part)

    def required(part: str, value: str | None) -> str:
        if value is None:
            raise KitError(f"{name_of('partner.json')}: {part} is missing; take it from the kit again")
        return value

    signer = values.signer
    if signer is None:
        try:
            signer = KeySigner(load_private_key(values.signing_key or "", values.passphrase))
        except ValueError as error:
            raise KitError(f"{name_of('signing.key')}: {error}; PEM, PKCS #8, P-256") from None
    if values.signing_key_id not in (None, signer.key_id):
        raise KitError(f"{name_of('signing.key')}: it is not the key that is registered")
    base_url = required("base_url", values.base_url)
    if not base_url.startswith("https://") or base_url.endswith("/"):
        raise KitError(
            f"{name_of('partner.json')}: base_url must be https, without a trailing slash"
        )
    return Kit(
        folder=folder,
        environment=required("environment", values.environment),
        base_url=base_url,
        client_id=required("client_id", values.client_id),
        client_secret=values.client_secret or "",
        webhook_secret=values.webhook_secret,
        webhook_url=values.webhook_url,
        signer=signer,
        signing_key_id=signer.key_id,
        tls=values.tls or _ssl_context(values, name_of("ca.crt"), name_of("client.key")),
    )


def _read_folder(folder: Path, values: KitValues) -> KitValues:
    """Reads what the values lack."""
    partner = _read_partner(folder / "partner.json")
    found: dict[str, Any] = {name: partner.get(name) or None for name in _MEMBERS}
    needless = {"signing_key"} if values.signer else set()
    if values.tls:
        needless |= {"ca_crt", "client_crt", "client_key"}
    for name in _FILES:
        if getattr(values, name) is None and name not in needless:
            found[name] = _read(folder / name.replace("_", "."))
    lacking = {name: text for name, text in found.items() if getattr(values, name) is None}
    return replace(values, **lacking)


def _read_partner(file: Path) -> dict[str, str]:
    try:
        partner = json.loads(_read(file))
    except ValueError:
        raise KitError(f"{file}: it is not JSON; take it from the kit again") from None
    if not isinstance(partner, dict):
        raise KitError(f"{file}: it is not a JSON object; take it from the kit again")
    return {name: value for name, value in partner.items() if isinstance(value, str)}


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except FileNotFoundError:
        raise KitError(f"{file}: it is missing; is this the folder of a kit?") from None
    except OSError as error:
        raise KitError(f"{file}: it cannot be read ({error.strerror})") from None


def _ssl_context(values: KitValues, authority: str, key: str) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cadata=values.ca_crt or "-")
    except ssl.SSLError:
        raise KitError(f"{authority}: it holds no certificate in PEM") from None
    _load_certificate(
        context, values.client_crt or "", values.client_key or "", values.passphrase, key
    )
    return context


def _load_certificate(
    context: ssl.SSLContext, certificate: str, key: str, passphrase: str | None, name: str
) -> None:
    try:
        with _file_of(certificate + "\n" + key) as file:
            # Without a passphrase OpenSSL would ask at the terminal.
            context.load_cert_chain(file, password=passphrase or "")
    except (ssl.SSLError, OSError):
        raise KitError(f"{name}: it does not belong to client.crt") from None


@contextmanager
def _file_of(text: str) -> Iterator[str]:
    """Makes a file for `ssl`, which reads certificates from files alone: on Linux in memory."""
    if sys.platform == "linux":
        with open(os.memfd_create("pem"), "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            yield f"/proc/self/fd/{file.fileno()}"
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pem"
            path.write_text(text, "utf-8")
            yield str(path)
