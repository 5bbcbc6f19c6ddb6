"""Signers whose keys stay where they are: in an HSM (PKCS #11) or in AWS KMS."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from .signing import Signer, join_der, thumbprint

if TYPE_CHECKING:
    from pkcs11 import Session


@dataclass(frozen=True)
class _Signer:
    key_id: str
    sign: Callable[[bytes], bytes] = field(repr=False)


def pkcs11_signer(session: Session, label: str) -> Signer:
    """Makes a Signer of a key pair of a token, by the label of both its keys.

        token = pkcs11.lib("/usr/lib/softhsm/libsofthsm2.so").get_token(token_label="bank")
        signer = pkcs11_signer(token.open(user_pin=pin), "signing")

    It needs python-pkcs11 (`pip install 'sabika-client[pkcs11]'`). Threads may share it; the
    session signs for one at a time. Raises ValueError if the key is not for P-256, and the
    exceptions of pkcs11, such as NoSuchKey.
    """
    from pkcs11 import KeyType, Mechanism, ObjectClass
    from pkcs11.util.ec import encode_ec_public_key

    def find(kind: ObjectClass) -> Any:
        return session.get_key(object_class=kind, key_type=KeyType.EC, label=label)

    private_key = find(ObjectClass.PRIVATE_KEY)

    def sign(data: bytes) -> bytes:
        signature: bytes = private_key.sign(
            hashlib.sha256(data).digest(), mechanism=Mechanism.ECDSA
        )
        return signature

    return _Signer(_key_id(encode_ec_public_key(find(ObjectClass.PUBLIC_KEY))), sign)


def kms_signer(client: Any, key: str) -> Signer:
    """Makes a Signer of a key of AWS KMS, of the kind ECC_NIST_P256.

        signer = kms_signer(boto3.client("kms"), "alias/sabika-signing")

    It asks for the public key once. KMS hashes by itself, at most 4096 bytes, which no signed
    request reaches. Raises ValueError if the key is not for P-256, and the client's exceptions.
    """

    def sign(data: bytes) -> bytes:
        answer = client.sign(
            KeyId=key, Message=data, MessageType="RAW", SigningAlgorithm="ECDSA_SHA_256"
        )
        return join_der(answer["Signature"])

    return _Signer(_key_id(client.get_public_key(KeyId=key)["PublicKey"]), sign)


def _key_id(der: bytes) -> str:
    key = serialization.load_der_public_key(der)
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
        raise ValueError("the key is not for P-256")
    return thumbprint(key)
