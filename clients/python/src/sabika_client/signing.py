"""Signed requests: the canonical string and its detached ES256 JWS (Specification §5).

RFC 7515 appendix F, RFC 7797 (b64=false), RFC 7518 §3.4; Decisions D20 to D25.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from typing import Protocol

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)

_HEADER = {"alg": "ES256", "b64": False, "crit": ["b64"]}
KEY_ID = re.compile(r"[A-Za-z0-9_-]{43}")
_BASE64URL = re.compile(r"[A-Za-z0-9_-]*")
_ASCII_WITHOUT_ESCAPES = re.compile(r"[\t\n\r\x20-\x5b\x5d-\x7e]*")
_TIMESTAMP = re.compile(r"[1-9][0-9]{0,10}")
_NONCE = re.compile(r"[\x21-\x7e]{16,128}")
_HEADER_LETTERS_MAX = 512
# The order of the group of P-256 (SP 800-186 §3.2.1.3).
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


class SignatureRefused(Exception):
    """A JWS is malformed or does not verify; `code` is the name in docs/vectors/jws.json."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Signer(Protocol):
    """Signs with a P-256 key, wherever that is kept: ES256 (RFC 7518 §3.4)."""

    @property
    def key_id(self) -> str:
        """The RFC 7638 thumbprint of the key."""

    def sign(self, data: bytes, /) -> bytes:
        """Signs the SHA-256 hash of `data`; returns r‖s, 64 bytes. It may wait for a network."""


@dataclass(frozen=True)
class KeySigner:
    """Signs with a private key in memory."""

    key: ec.EllipticCurvePrivateKey

    @property
    def key_id(self) -> str:
        return thumbprint(self.key.public_key())

    def sign(self, data: bytes, /) -> bytes:
        return join_der(self.key.sign(data, ec.ECDSA(hashes.SHA256())))


def join_der(signature: bytes) -> bytes:
    """Makes r‖s of a signature in DER. Raises ValueError if it is none of P-256."""
    r, s = decode_dss_signature(signature)
    if not (0 < r < _ORDER and 0 < s < _ORDER):
        raise ValueError("the signature is not of P-256")
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def canonical_string(method: str, url: str, body: bytes, timestamp: str, nonce: str) -> str:
    """Makes the five lines that are signed. Raises ValueError if a part has a line feed."""
    parts = [method, url, hashlib.sha256(body).hexdigest(), timestamp, nonce]
    if any("\n" in part for part in parts):
        raise ValueError("a part of the canonical string holds a line feed")
    return "\n".join(parts)


def sign_request(
    method: str,
    url: str,
    body: bytes,
    *,
    timestamp: str,
    nonce: str,
    key: Signer | ec.EllipticCurvePrivateKey,
    key_id: str | None = None,
) -> dict[str, str]:
    """Makes the three headers of a signed request.

    `url` is the absolute URL exactly as it is sent, `timestamp` Unix seconds, `nonce` 16 to 128
    visible ASCII characters that were never used before. Raises ValueError for other forms.
    `key` and `key_id` are as in `sign_detached`.
    """
    if not _TIMESTAMP.fullmatch(timestamp):
        raise ValueError("timestamp_invalid")
    if not _NONCE.fullmatch(nonce):
        raise ValueError("nonce_invalid")
    canonical = canonical_string(method, url, body, timestamp, nonce)
    return {
        "X-Timestamp": timestamp,
        "X-Nonce": nonce,
        "X-JWS-Signature": sign_detached(canonical, key, key_id),
    }


def sign_detached(
    payload: str, key: Signer | ec.EllipticCurvePrivateKey, key_id: str | None = None
) -> str:
    """Signs the UTF-8 of `payload`; returns `<protected header>..<signature>`.

    A private key is named by `key_id` alone, a Signer by its own if there is none. Raises
    ValueError if a Signer returns something other than r‖s, and what it raises itself.
    """
    if isinstance(key, ec.EllipticCurvePrivateKey):
        key = KeySigner(key)
    else:
        key_id = key_id or key.key_id
    header = _HEADER if key_id is None else {**_HEADER, "kid": key_id}
    protected = encode_base64url(json.dumps(header, separators=(",", ":")).encode())
    signature = key.sign(f"{protected}.{payload}".encode())
    if len(signature) != 64:
        raise ValueError("a signer must return r‖s, 64 bytes, not DER")
    return f"{protected}..{encode_base64url(signature)}"


def verify_detached(jws: str, payload: str, key: ec.EllipticCurvePublicKey) -> str | None:
    """Verifies a detached JWS over the UTF-8 of `payload` as strictly as the service does.

    Returns its `kid`, or None if it has none. Raises SignatureRefused if it does not verify.
    """
    segments = jws.split(".")
    if len(segments) != 3:
        raise SignatureRefused("not_three_segments")
    protected, inner, encoded = segments
    if inner:
        raise SignatureRefused("payload_not_empty")
    key_id = _read_header(protected)
    verify_signature(f"{protected}.{payload}", decode_signature(encoded), key)
    return key_id


def decode_signature(encoded: str) -> bytes:
    """Decodes the last segment of a JWS to a signature in DER. Raises SignatureRefused."""
    signature = decode_base64url(encoded)
    if signature is None:
        raise SignatureRefused("signature_not_base64url")
    if len(signature) != 64:
        raise SignatureRefused("signature_length")
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if not (0 < r < _ORDER and 0 < s < _ORDER):
        raise SignatureRefused("signature_out_of_range")
    return encode_dss_signature(r, s)


def verify_signature(content: str, signature: bytes, key: ec.EllipticCurvePublicKey) -> None:
    """Verifies a signature over the signing input of a JWS. Raises SignatureRefused."""
    try:
        key.verify(signature, content.encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise SignatureRefused("signature_mismatch") from None


def _read_header(protected: str) -> str | None:
    members = read_members(protected, {"alg", "b64", "crit", "kid"})
    if members.get("alg") != "ES256":
        raise SignatureRefused("alg_not_es256")
    if members.get("b64") is not False:
        raise SignatureRefused("b64_not_false")
    if members.get("crit") != ["b64"]:
        raise SignatureRefused("crit_not_b64")
    key_id = members.get("kid")
    if "kid" in members and not (isinstance(key_id, str) and KEY_ID.fullmatch(key_id)):
        raise SignatureRefused("kid_malformed")
    if members.has_duplicate:
        raise SignatureRefused("header_member_duplicate")
    return key_id if isinstance(key_id, str) else None


def read_members(protected: str, names: set[str]) -> Members:
    """Reads a protected header that has no other members. Raises SignatureRefused."""
    if len(protected) > _HEADER_LETTERS_MAX:
        raise SignatureRefused("header_malformed")
    raw = decode_base64url(protected)
    if raw is None:
        raise SignatureRefused("header_not_base64url")
    text = raw.decode("latin-1")
    # A valid header is plain ASCII without escapes; this also refuses a BOM.
    if not _ASCII_WITHOUT_ESCAPES.fullmatch(text):
        raise SignatureRefused("header_malformed")
    try:
        members = json.loads(text, object_pairs_hook=Members)
    except ValueError:
        raise SignatureRefused("header_malformed") from None
    if not isinstance(members, Members):
        raise SignatureRefused("header_malformed")
    if not members.keys() <= names:
        raise SignatureRefused("header_member_unknown")
    return members


class Members(dict[str, object]):
    """A JSON object that notes duplicate names, of which `json` would silently keep the last."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        self.has_duplicate = len(self) != len(pairs)


def thumbprint(key: ec.EllipticCurvePublicKey) -> str:
    """Computes the RFC 7638 thumbprint of a P-256 key, the value of `kid`."""
    numbers = key.public_numbers()
    x, y = (encode_base64url(n.to_bytes(32, "big")) for n in (numbers.x, numbers.y))
    members = f'{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}'
    return encode_base64url(hashlib.sha256(members.encode()).digest())


def certificate_thumbprint(pem: str) -> str:
    """Computes a certificate's `x5t#S256` (RFC 8705 §3.1), to which tokens are bound."""
    certificate = x509.load_pem_x509_certificate(pem.encode())
    return encode_base64url(certificate.fingerprint(hashes.SHA256()))


def load_private_key(pem: str, passphrase: str | None = None) -> ec.EllipticCurvePrivateKey:
    """Loads a P-256 private key from PEM (PKCS #8). Raises ValueError for any other."""
    password = passphrase.encode() if passphrase and "ENCRYPTED" in pem else None
    try:
        key = serialization.load_pem_private_key(pem.encode(), password=password)
    except TypeError:
        raise ValueError("the key has a passphrase") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        raise ValueError("the key is not for P-256")
    return key


def load_public_key(pem: str) -> ec.EllipticCurvePublicKey:
    """Loads a P-256 public key from PEM (SPKI). Raises ValueError for any other."""
    key = serialization.load_pem_public_key(pem.encode())
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
        raise ValueError("the key is not for P-256")
    return key


def encode_base64url(data: bytes) -> str:
    """Encodes bytes as base64url without padding (RFC 7515 §2)."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode_base64url(text: str) -> bytes | None:
    """Decodes base64url; None unless the text is exactly what encode_base64url returns."""
    if not _BASE64URL.fullmatch(text) or len(text) % 4 == 1:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if encode_base64url(data) == text else None

