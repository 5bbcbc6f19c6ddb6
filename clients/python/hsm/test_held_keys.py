"""Tests with keys that the client cannot read; npm run clients makes the token and runs moto."""

from __future__ import annotations

import asyncio

import boto3  # type: ignore[import-untyped]
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from sabika_client import (
    AsyncClient,
    Kit,
    kms_signer,
    sign_request,
    verify_detached,
)
from sabika_client.signing import canonical_string


def test_tasks_share_a_key_of_a_token(kit: Kit) -> None:
    async def run() -> None:
        async with AsyncClient(kit) as client:
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
