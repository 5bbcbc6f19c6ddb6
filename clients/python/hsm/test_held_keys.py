"""Tests with keys that the client cannot read; npm run clients makes the token and runs moto."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import boto3  # type: ignore[import-untyped]
import pkcs11
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from sabika_client import (
    AsyncClient,
    Client,
    Kit,
    KitValues,
    Signer,
    kms_signer,
    open_kit,
    pkcs11_signer,
    sign_request,
    verify_detached,
)
from sabika_client.signing import canonical_string


@pytest.fixture
def signer() -> Iterator[Signer]:
    token = pkcs11.lib(os.environ["SABIKA_TOKEN_MODULE"]).get_token(token_label="sabika")
    with token.open(user_pin=os.environ["SABIKA_TOKEN_PIN"]) as session:
        yield pkcs11_signer(session, "signing")


def kit_of(signer: Signer) -> Kit:
    """Opens the kit, whose folder has no keys; that of the certificate is a file for `ssl`."""
    client_key = Path(os.environ["SABIKA_KIT"], "client.key").read_text()
    folder = os.environ["SABIKA_TOKEN_KIT"]
    return open_kit(KitValues(folder, client_key=client_key, signer=signer))


def test_an_order_is_signed_with_a_key_of_a_token(signer: Signer) -> None:
    with Client(kit_of(signer)) as client:
        client.fund(Decimal("1000"))
        assert client.order(client.quote("buy", Decimal("1")).id).status == "executed"


def test_tasks_share_a_key_of_a_token(signer: Signer) -> None:
    async def run() -> None:
        async with AsyncClient(kit_of(signer)) as client:
            probes = await asyncio.gather(*(client.probe() for _ in range(8)))
            assert all(probe.verified for probe in probes)

    asyncio.run(run())


def test_a_request_is_signed_in_kms() -> None:
    client = boto3.client("kms", region_name="me-central-1")
    made = client.create_key(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")
    signer = kms_signer(client, made["KeyMetadata"]["KeyId"])
    parts = ("POST", "https://bank.test/v1/orders", b"{}")
    headers = sign_request(*parts, timestamp="1795167000", nonce="n" * 16, key=signer)
    public = client.get_public_key(KeyId=made["KeyMetadata"]["KeyId"])["PublicKey"]
    key = serialization.load_der_public_key(public)
    assert isinstance(key, ec.EllipticCurvePublicKey)
    canonical = canonical_string(*parts, "1795167000", "n" * 16)
    assert verify_detached(headers["X-JWS-Signature"], canonical, key) == signer.key_id
