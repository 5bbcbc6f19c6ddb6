"""The partner kit: a folder with a partner's credentials and addresses (Decision D43)."""

from __future__ import annotations

import json
import ssl
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec

from .signing import load_private_key, thumbprint


class KitError(Exception):
    """A kit is unusable; the message names the file and the remedy, never its contents."""


@dataclass(frozen=True)
class Kit:
    """A partner's credentials and addresses. Its repr omits secrets and keys."""

    folder: Path
    environment: str
    #: Part of signatures, so it is never rewritten (Decision D20).
    base_url: str
    client_id: str
    #: Empty if the certificate alone authenticates the client (tls_client_auth).
    client_secret: str = field(repr=False)
    webhook_secret: str | None = field(repr=False)
    webhook_url: str | None
    signing_key: ec.EllipticCurvePrivateKey = field(repr=False)
    #: The RFC 7638 thumbprint of the signing key.
    signing_key_id: str

    def ssl_context(self) -> ssl.SSLContext:
        """Makes a context for mutual TLS that trusts only ca.crt and presents client.crt."""
        context = ssl.create_default_context(cafile=str(self.folder / "ca.crt"))
        return _with_certificate(context, self.folder, "client.crt", "client.key")

    def receiver_ssl_context(self) -> ssl.SSLContext:
        """Makes a context for an HTTPS webhook receiver on localhost; only sandbox kits have its key."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        return _with_certificate(context, self.folder, "receiver.crt", "receiver.key")


def open_kit(folder: str | Path) -> Kit:
    """Opens a partner kit and checks it. Raises KitError if it is unusable."""
    folder = Path(folder)
    partner = _read_partner(folder / "partner.json")
    try:
        signing_key = load_private_key(_read(folder / "signing.key"))
    except ValueError as error:
        raise KitError(f"{folder / 'signing.key'}: {error}; PEM, PKCS #8, P-256") from None
    key_id = thumbprint(signing_key.public_key())
    if partner.get("signing_key_id") not in (None, key_id):
        raise KitError(f"{folder / 'signing.key'}: it is not the key that is registered")
    kit = Kit(
        folder=folder,
        environment=_required(folder, partner, "environment"),
        base_url=_required(folder, partner, "base_url"),
        client_id=_required(folder, partner, "client_id"),
        client_secret=partner.get("client_secret") or "",
        webhook_secret=partner.get("webhook_secret") or None,
        webhook_url=partner.get("webhook_url") or None,
        signing_key=signing_key,
        signing_key_id=key_id,
    )
    if not kit.base_url.startswith("https://") or kit.base_url.endswith("/"):
        raise KitError(f"{folder / 'partner.json'}: base_url must be https, without a trailing slash")
    kit.ssl_context()
    return kit


def _read_partner(file: Path) -> dict[str, str | None]:
    try:
        partner = json.loads(_read(file))
    except ValueError:
        raise KitError(f"{file}: it is not JSON; take it from the kit again") from None
    if not isinstance(partner, dict):
        raise KitError(f"{file}: it is not a JSON object; take it from the kit again")
    return {name: value for name, value in partner.items() if isinstance(value, str)}


def _required(folder: Path, partner: dict[str, str | None], name: str) -> str:
    value = partner.get(name)
    if not value:
        raise KitError(f"{folder / 'partner.json'}: {name} is missing; take it from the kit again")
    return value


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except FileNotFoundError:
        raise KitError(f"{file}: it is missing; is this the folder of a kit?") from None
    except OSError as error:
        raise KitError(f"{file}: it cannot be read ({error.strerror})") from None


def _with_certificate(
    context: ssl.SSLContext, folder: Path, certificate: str, key: str
) -> ssl.SSLContext:
    for name in (certificate, key):
        _read(folder / name)
    try:
        context.load_cert_chain(folder / certificate, folder / key)
    except (ssl.SSLError, OSError):
        raise KitError(f"{folder / key}: it does not belong to {certificate}") from None
    return context
