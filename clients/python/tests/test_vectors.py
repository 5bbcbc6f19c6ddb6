from __future__ import annotations

import hashlib
from decimal import Decimal
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from vector_files import KEYS, name_of, vectors

from sabika_client.amounts import AmountError, format_amount, parse_amount
from sabika_client.errors import read_refusal
from sabika_client.signing import (
    SignatureRefused,
    canonical_string,
    certificate_thumbprint,
    encode_base64url,
    load_private_key,
    load_public_key,
    sign_detached,
    sign_request,
    thumbprint,
    verify_detached,
)
from sabika_client.webhooks import WebhookRefused, sign_webhook, verify_webhook

CANONICAL = vectors("canonical_string.json")
JWS = vectors("jws.json")
WEBHOOK = vectors("webhook.json")
NUMBERS = vectors("numbers.json")
REFUSALS = vectors("refusals.json")
KINDS = {kind["kind"]: kind for kind in NUMBERS["kinds"]}


@pytest.mark.parametrize("key", KEYS.values(), ids=name_of)
def test_a_key_has_the_thumbprint_of_its_vector(key: Any) -> None:
    public = load_public_key(key["public_key_pem"])
    assert load_private_key(key["private_key_pem"]).public_key() == public
    assert thumbprint(public) == key["key_id"]


@pytest.mark.parametrize("vector", CANONICAL["vectors"], ids=name_of)
def test_a_canonical_string_is_that_of_its_vector(vector: Any) -> None:
    body = vector["body"].encode()
    parts = (vector["method"], vector["url"], body, vector["timestamp"], vector["nonce"])
    canonical = canonical_string(*parts)
    assert hashlib.sha256(body).hexdigest() == vector["body_sha256"]
    assert canonical == vector["canonical"]
    key = load_private_key(KEYS[CANONICAL["key"]]["private_key_pem"])
    assert verify_detached(sign_detached(canonical, key), canonical, key.public_key()) is None
    assert verify_detached(vector["jws"], canonical, key.public_key()) is None
    assert sign_deterministically(canonical, key) == vector["jws"]


def sign_deterministically(canonical: str, key: ec.EllipticCurvePrivateKey) -> str:
    """Signs as the vectors are signed, by RFC 6979, if this version of cryptography can."""
    protected = encode_base64url(b'{"alg":"ES256","b64":false,"crit":["b64"]}')
    algorithm = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)
    r, s = decode_dss_signature(key.sign(f"{protected}.{canonical}".encode(), algorithm))
    return f"{protected}..{encode_base64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


@pytest.mark.parametrize("vector", CANONICAL["refused"], ids=name_of)
def test_a_part_with_a_line_feed_is_refused(vector: Any) -> None:
    assert vector["refusal"] == "line_feed"
    body = vector["body"].encode()
    with pytest.raises(ValueError, match="line feed"):
        canonical_string(
            vector["method"], vector["url"], body, vector["timestamp"], vector["nonce"]
        )


@pytest.mark.parametrize("vector", CANONICAL["headers"], ids=name_of)
def test_timestamps_and_nonces_are_judged_as_in_the_vectors(vector: Any) -> None:
    key = load_private_key(KEYS["signer"]["private_key_pem"])
    refusal = None
    try:
        sign_request(
            "POST", "/", b"", timestamp=vector["timestamp"], nonce=vector["nonce"], key=key
        )
    except ValueError as error:
        refusal = str(error)
    assert refusal == vector["refusal"]


@pytest.mark.parametrize("vector", JWS["valid"], ids=name_of)
def test_a_valid_jws_is_accepted(vector: Any) -> None:
    key = load_public_key(KEYS[JWS["key"]]["public_key_pem"])
    assert verify_detached(vector["jws"], vector["payload"], key) == vector["key_id"]


@pytest.mark.parametrize("vector", JWS["invalid"], ids=name_of)
def test_an_invalid_jws_is_refused_by_its_code(vector: Any) -> None:
    key = load_public_key(KEYS[JWS["key"]]["public_key_pem"])
    with pytest.raises(SignatureRefused) as refused:
        verify_detached(vector["jws"], vector["payload"], key)
    assert refused.value.code == vector["refusal"]


@pytest.mark.parametrize("vector", WEBHOOK["signatures"], ids=name_of)
def test_a_webhook_is_signed_as_in_its_vector(vector: Any) -> None:
    parts = (vector["id"], str(vector["timestamp"]), vector["body"].encode())
    signatures = [sign_webhook(secret, *parts) for secret in vector["secrets"]]
    assert " ".join(signatures) == vector["signature"]


@pytest.mark.parametrize("vector", WEBHOOK["deliveries"], ids=name_of)
def test_a_delivery_is_judged_as_in_its_vector(vector: Any) -> None:
    refusal = None
    try:
        body = vector["body"].encode()
        verify_webhook(vector["secrets"], vector["headers"], body, now=vector["now"])
    except WebhookRefused as refused:
        refusal = refused.reason
    assert refusal == vector["refusal"]


@pytest.mark.parametrize("vector", WEBHOOK["secrets"], ids=lambda vector: repr(vector["secret"]))
def test_a_secret_is_judged_as_in_its_vector(vector: Any) -> None:
    valid = True
    try:
        sign_webhook(vector["secret"], "evt_1", "1795167000", b"{}")
    except ValueError:
        valid = False
    assert valid is vector["valid"]


def test_a_certificate_has_the_thumbprint_of_its_vector() -> None:
    for vector in vectors("certificate_hash.json")["certificates"]:
        assert certificate_thumbprint(vector["certificate_pem"]) == vector["x5t_s256"]


@pytest.mark.parametrize("vector", NUMBERS["accepted"], ids=name_of)
def test_a_valid_number_is_read_exactly(vector: Any) -> None:
    kind = KINDS[vector["kind"]]
    amount = parse_amount(vector["text"], kind["decimals"])
    assert amount * 10 ** kind["scale"] == int(vector["value"])
    assert parse_amount(format_amount(amount, kind["decimals"]), kind["decimals"]) == amount


@pytest.mark.parametrize("vector", NUMBERS["refused"], ids=lambda vector: repr(vector["text"]))
def test_an_invalid_number_is_refused_by_its_code(vector: Any) -> None:
    with pytest.raises(AmountError) as refused:
        parse_amount(vector["text"], KINDS[vector["kind"]]["decimals"])
    assert refused.value.code == vector["refusal"]


def test_a_float_is_refused_and_the_message_says_what_to_pass() -> None:
    with pytest.raises(TypeError, match=r'pass a Decimal, such as Decimal\("1.5"\), not float'):
        format_amount(1.5, 4)  # type: ignore[arg-type]


@pytest.mark.parametrize("vector", NUMBERS["written"], ids=name_of)
def test_an_amount_is_written_as_in_its_vector(vector: Any) -> None:
    kind = KINDS[vector["kind"]]
    amount = Decimal(int(vector["value"])).scaleb(-kind["scale"])
    assert format_amount(amount, kind["decimals"]) == vector["text"]


@pytest.mark.parametrize("vector", REFUSALS["codes"], ids=name_of)
def test_a_refusal_is_read_as_in_its_vector(vector: Any) -> None:
    error = read_refusal(vector["status"], {}, vector["body"])
    assert (error.code, error.status) == (vector["code"], vector["status"])
    assert (error.retryable, error.title) == (vector["retryable"], vector["title"])


@pytest.mark.parametrize("vector", REFUSALS["token"], ids=name_of)
def test_a_refusal_of_the_token_endpoint_is_read(vector: Any) -> None:
    error = read_refusal(401, {}, vector["body"])
    assert (error.code, error.retryable) == (vector["code"], False)
