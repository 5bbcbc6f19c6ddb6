"""Hooks with which schemathesis calls a Sabika service: kit (SABIKA_KIT), tokens, signatures.

Requests that schemathesis made well-formed are signed afresh; what it broke on purpose stays broken.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from typing import Any

import requests
import schemathesis
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from sabika_client.kit import open_kit
from sabika_client.signing import sign_request

FOLDER = os.environ["SABIKA_KIT"]
KIT = open_kit(FOLDER)
SIGNED = {
    "X-Timestamp": re.compile(r"[1-9][0-9]{0,10}"),
    "X-Nonce": re.compile(r"[\x21-\x7e]{16,128}"),
    "X-JWS-Signature": re.compile(r"[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]{86}"),
}
RESOURCE = re.compile(r'"id":"((?:qt|ord|wd|evt)_[^"]+)"')
DECIMALS = {"amount_sar": 2, "gold_grams": 4}
KEYS = iter(lambda: secrets.token_hex(16), None)
CURSOR = re.compile(r'"next_cursor":"([^"]+)"')
made: dict[str, str] = {}
cursors: dict[str, str] = {}


class Signer(requests.auth.AuthBase):
    """Signs each request over the bytes that are sent."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if all(form.fullmatch(text(request.headers.get(name))) for name, form in SIGNED.items()):
            body = request.body or b""
            request.headers.update(
                sign_request(
                    request.method or "",
                    request.url or "",
                    body.encode() if isinstance(body, str) else body,
                    timestamp=str(int(time.time())),
                    nonce=secrets.token_hex(16),
                    key=KIT.signing_key,
                )
            )
        return request


def text(value: str | bytes | None) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value or ""


def without(query: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in query.items() if key != name}


@schemathesis.auth(refresh_interval=300)
class Token:
    """Fetches a token by the client credentials grant over mutual TLS."""

    def get(self, case: Any, context: Any) -> str:
        answer = requests.post(
            f"{KIT.base_url}/oauth/token",
            data={
                "grant_type": "client_credentials",
                "client_id": KIT.client_id,
                "client_secret": KIT.client_secret,
            },
            cert=(f"{FOLDER}/client.crt", f"{FOLDER}/client.key"),
            verify=f"{FOLDER}/ca.crt",
            timeout=30,
        )
        answer.raise_for_status()
        return str(answer.json()["access_token"])

    def set(self, case: Any, data: str, context: Any) -> None:
        # At the token endpoint the form and the certificate identify the client.
        if not case.operation.path.startswith("/oauth/"):
            case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    kwargs["auth"] = Signer()
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    use_what_there_is(case)


def use_what_there_is(case: Any) -> None:
    """Puts real secrets, new keys, existing quotes and exact amounts into valid requests."""
    if "Idempotency-Key" in (case.headers or {}):
        case.headers["Idempotency-Key"] = next(KEYS)
    if "cursor" in (case.query or {}):
        # No schema can say which opaque texts are a cursor: it is one that the list gave, or none.
        cursor = cursors.get(case.operation.path)
        case.query = {**case.query, "cursor": cursor} if cursor else without(case.query, "cursor")
    if not isinstance(case.body, dict):
        return
    for name, decimals in DECIMALS.items():
        if isinstance(case.body.get(name), (int, float)):
            case.body[name] = min(max(round(case.body[name], decimals), 1), 1000)
    if "client_id" in case.body:
        # Of further members: a list would be one name several times, which RFC 6749 section 3.2
        # forbids and a schema of a form cannot say; and each has a name.
        wrong = [name for name, value in case.body.items() if not name or isinstance(value, (list, dict))]
        for name in wrong:
            del case.body[name]
        case.body.update(client_id=KIT.client_id, client_secret=KIT.client_secret)
    if "quote_id" in case.body and "qt" in made:
        case.body["quote_id"] = made.pop("qt")


@schemathesis.hook
def after_call(context: Any, case: Any, response: Any) -> None:
    """Remembers created resources and pages, so that later requests can use them."""
    page = CURSOR.search(response.text) if response.status_code == 200 else None
    if page:
        cursors[case.operation.path] = page[1]
    found = RESOURCE.search(response.text) if response.status_code == 201 else None
    if found:
        made[found[1].split("_")[0]] = found[1]
