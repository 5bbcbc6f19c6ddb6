"""Verifies the signatures of an export of evidence with Python and openssl alone.

    python3 verify_evidence.py evidence.jsonl

Prints each order, withdrawal and cancellation whose signature does not fit, and exits with 1 if there is one.
"""

import base64
import hashlib
import json
import subprocess
import sys
import tempfile

# The SubjectPublicKeyInfo of an uncompressed P-256 point, up to its coordinates (RFC 5480).
SPKI = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")


def decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def integer(value: bytes) -> bytes:
    """DER of an unsigned integer."""
    value = value.lstrip(b"\0") or b"\0"
    value = (b"\0" if value[0] & 0x80 else b"") + value
    return b"\x02" + bytes([len(value)]) + value


def is_signed(request: dict, jwk: dict) -> bool:
    """Whether the key signed exactly this request (the canonical string, RFC 7797)."""
    header, _, signature = request["signature"].split(".")
    body_hash = hashlib.sha256(request["body"].encode()).hexdigest()
    lines = [request["method"], request["url"], body_hash, str(request["timestamp"]), request["nonce"]]
    raw = decode(signature)
    numbers = integer(raw[:32]) + integer(raw[32:])
    with tempfile.TemporaryDirectory() as folder:
        def write(name: str, content: bytes) -> str:
            with open(f"{folder}/{name}", "wb") as file:
                file.write(content)
            return f"{folder}/{name}"

        key = write("key.der", SPKI + decode(jwk["x"]) + decode(jwk["y"]))
        der = write("signature.der", b"\x30" + bytes([len(numbers)]) + numbers)
        signed = write("signed.txt", f"{header}.".encode() + "\n".join(lines).encode())
        command = ["openssl", "dgst", "-sha256", "-verify", key, "-keyform", "DER", "-signature", der, signed]
        return subprocess.run(command, capture_output=True).returncode == 0


def main(path: str) -> int:
    wrong = 0
    with open(path, encoding="utf-8") as file:
        head = json.loads(file.readline())
        keys = {
            (client, key["key_id"]): key["public_jwk"]
            for client, owned in head["keys"].items()
            for key in owned
        }
        for line in map(json.loads, file):
            if "end" in line:
                break
            request = line["evidence"]
            if request is None:
                continue
            jwk = keys.get((line["client_id"], request["key_id"]))
            if jwk is None or not is_signed(request, jwk):
                wrong += 1
                print(f"{line['kind']} {line['id']} of {line['client_id']}: its signature does not fit")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
