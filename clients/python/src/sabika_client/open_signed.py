"""Compact JWS that a published key signed (Decision D103)."""

from __future__ import annotations

from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from .signing import (
    KEY_ID,
    SignatureRefused,
    decode_base64url,
    decode_signature,
    read_members,
    thumbprint,
    verify_signature,
)


class Refused(Exception):
    """It is refused before its content is looked at; the text is the fault."""


def open_signed(jws: str, typ: str, keys: dict[str, Any]) -> tuple[bytes, dict[str, Any]]:
    """Returns the payload and the key that signed it. Raises Refused."""
    segments = jws.split(".")
    if len(segments) != 3:
        raise Refused("malformed")
    protected, encoded, last = segments
    try:
        header = read_members(protected, {"alg", "kid", "typ"})
        if header.get("alg") != "ES256":
            raise Refused("wrong_algorithm")
        signature = decode_signature(last)
    except SignatureRefused:
        raise Refused("malformed") from None
    kid, payload = header.get("kid"), decode_base64url(encoded)
    if header.get("typ") != typ or header.has_duplicate or payload is None:
        raise Refused("malformed")
    if not isinstance(kid, str) or not KEY_ID.fullmatch(kid):
        raise Refused("malformed")
    key = next((key for key in keys["keys"] if key["kid"] == kid), None)
    point = None if key is None else _point(key)
    # A name that is not the key's own could be given to any key.
    if key is None or point is None or thumbprint(point) != kid:
        raise Refused("unknown_key")
    try:
        verify_signature(f"{protected}.{encoded}", signature, point)
    except SignatureRefused:
        raise Refused("altered") from None
    return payload, key


def _point(key: dict[str, Any]) -> ec.EllipticCurvePublicKey | None:
    x, y = decode_base64url(key["x"]), decode_base64url(key["y"])
    if x is None or y is None or len(x) != 32 or len(y) != 32:
        return None
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), b"\x04" + x + y)
    except ValueError:
        return None
