"""The steps of a call, for senders that wait and senders of asyncio: requests, pauses, tokens."""

from __future__ import annotations

import json
import secrets
import time
import uuid
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from functools import partial
from typing import Any, TypeVar, Union
from urllib.parse import quote as percent_encode
from urllib.parse import urlencode, urlsplit

import httpx

from .errors import SabikaError, leaves_unknown, read_refusal, says_enough, still_unknown
from .kit import Kit
from .retry import Retry, pause_before_next
from .signing import sign_request
from .writing import When, format_time

T = TypeVar("T")

USER_AGENT = "sabika-client-python/1.0.0"
#: How long a stream may be silent: four heartbeats of the service.
SILENCE_SECONDS = 60.0
_RENEW_BEFORE_SECONDS = 60


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    body: str | None = None
    media_type: str = "application/json"
    accept: str = "application/json"
    token: bool = True
    signed: bool = False
    idempotency_key: str | None = None
    also_status: int | None = None
    #: Whether `read` gets an answer whose body is not read yet.
    stream: bool = False


@dataclass
class Connection:
    """What belongs to one kit: a token is valid only with the certificate that fetched it."""

    kit: Kit
    #: The client of httpx; `Any` since it is one of two.
    http: Any
    #: The access token and when it ends; only in memory (Specification §5).
    token: tuple[str, float] | None = None
    #: How many requests and streams are under way.
    uses: int = 0


@dataclass(frozen=True)
class Attempt:
    """A request to be sent; the step's result is the answer, or why none came.

    It is None, and nothing is sent, if the connection was replaced meanwhile.
    """

    connection: Connection
    call: Call
    headers: dict[str, str]
    content: bytes | None


@dataclass(frozen=True)
class Work:
    """Work that may block, such as a signature in an HSM; the step's result is the work's."""

    do: Callable[[], Any]


@dataclass(frozen=True)
class Pause:
    """A pause to be made; the step has no result."""

    seconds: float


@dataclass(frozen=True)
class NeedsToken:
    """The step's result is an access token, or the error of its fetch."""

    connection: Connection


#: The parameters of a query; those that are None are left out.
Filters = Mapping[str, Union[str, int, When, None]]
Step = Union[Attempt, Pause, NeedsToken, Work]
Steps = Generator[Step, Any, T]


class Stepper:
    """Says step by step how calls are carried out, each with as many attempts as the policy allows."""

    def __init__(self, connection: Connection, retry: Retry, clock: Callable[[], float]) -> None:
        #: What new attempts use.
        self._connection = connection
        self._retry = retry
        self._clock = clock
        self._clock_offset = 0.0

    def _steps(self, call: Call, read: Callable[[httpx.Response], T]) -> Steps[T]:
        """Every attempt has its own timestamp, nonce and signature; all have the same key."""
        cured: set[str] = set()
        unknown = False
        attempt = 1
        while True:
            connection = self._connection
            token: str | SabikaError | None = None
            if call.token:
                token = yield NeedsToken(connection)
            if connection is not self._connection:
                continue  # The kit was replaced meanwhile, and nothing is sent.
            if isinstance(token, SabikaError):
                # It says nothing about earlier attempts, and has no key.
                raise still_unknown(token, call.idempotency_key) if unknown else token
            headers = self._headers(call, token)
            content = None if call.body is None else call.body.encode()
            try:
                if call.signed:
                    signature = yield Work(partial(self._signature, connection.kit, call))
                    if isinstance(signature, Exception):
                        raise signer_failed(call) from signature
                    headers |= signature
                answer = yield Attempt(connection, call, headers, content)
                if answer is None:
                    continue
                return self._read(call, answer, read)
            except SabikaError as refusal:
                key = call.idempotency_key
                is_open = unknown and not says_enough(refusal)
                error = still_unknown(refusal, key) if is_open else refusal
                unknown |= key is not None and leaves_unknown(error)
                if self._cure(refusal, cured, connection, token):
                    continue
                pause = pause_before_next(self._retry, attempt, error)
                if pause is None:
                    raise error from error.__cause__
            attempt += 1
            yield Pause(pause)

    def _cure(
        self, error: SabikaError, cured: set[str], connection: Connection, token: str | None
    ) -> bool:
        """Removes the cause of a failure, if it can; each remedy once per call."""
        if error.code in cured:
            return False
        cured.add(error.code)
        if error.code in ("token_expired", "token_invalid"):
            if connection.token is not None and connection.token[0] == token:
                connection.token = None
            return True
        if error.code == "timestamp_out_of_window":
            server_time = error.meta.get("server_time")
            with suppress(ValueError):
                self._clock_offset = _unix_time(str(server_time)) - self._clock()
                return True
        return False

    @staticmethod
    def _headers(call: Call, token: str | None) -> dict[str, str]:
        headers = {"Accept": call.accept}
        if call.body is not None:
            headers["Content-Type"] = call.media_type
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if call.idempotency_key is not None:
            headers["Idempotency-Key"] = call.idempotency_key
        return headers

    def _signature(self, kit: Kit, call: Call) -> dict[str, str] | Exception:
        """Returns the headers of a signature, or why the signer failed."""
        try:
            return sign_request(
                call.method,
                kit.base_url + call.path,
                (call.body or "").encode(),
                timestamp=str(int(self._clock() + self._clock_offset)),
                nonce=secrets.token_hex(16),
                key=kit.signer,
            )
        except Exception as error:
            return error

    def _read(
        self,
        call: Call,
        answer: httpx.Response | httpx.RequestError,
        read: Callable[[httpx.Response], T],
    ) -> T:
        if isinstance(answer, httpx.RequestError):
            timed_out = isinstance(answer, httpx.TimeoutException)
            raise SabikaError(
                "request_timed_out" if timed_out else "connection_failed",
                f"no answer from {self._connection.kit.base_url}",
                retryable=True,
                idempotency_key=call.idempotency_key,
            ) from answer
        if not answer.is_success and answer.status_code != call.also_status:
            key = call.idempotency_key
            raise read_refusal(answer.status_code, answer.headers, answer.text, key)
        try:
            return read(answer)
        except (KeyError, TypeError, ValueError) as error:
            raise SabikaError(
                "unexpected_answer",
                f"the answer to {call.method} {call.path} is not of the promised form",
                status=answer.status_code,
                request_id=answer.headers.get("x-request-id"),
                idempotency_key=call.idempotency_key,
            ) from error

    def _kept_token(self, connection: Connection) -> str | None:
        """Returns the token, unless it ends soon."""
        kept = connection.token
        if kept is None or kept[1] - self._clock() <= _RENEW_BEFORE_SECONDS:
            return None
        return kept[0]

    @staticmethod
    def _token_call(kit: Kit) -> Call:
        form = {
            "grant_type": "client_credentials",
            "client_id": kit.client_id,
            "client_secret": kit.client_secret,
        }
        media_type = "application/x-www-form-urlencoded"
        return Call("POST", "/oauth/token", urlencode(form), media_type, token=False)

    @staticmethod
    def _keep_token(connection: Connection, json: Any, asked_at: float) -> str:
        token = str(json["access_token"])
        connection.token = (token, asked_at + json["expires_in"])
        return token


def trusts_environment(kit: Kit) -> bool:
    """Says whether a proxy of the environment is used: never for this machine, as in Go."""
    host = urlsplit(kit.base_url).hostname or ""
    return not (host in ("localhost", "::1") or host.startswith("127."))


def signer_failed(call: Call) -> SabikaError:
    return SabikaError(
        "signer_failed",
        "the signing key did not sign, and nothing was sent",
        retryable=True,
        idempotency_key=call.idempotency_key,
    )


def exact_json(answer: httpx.Response) -> Any:
    """Reads an answer's JSON, with exact numbers."""
    return json.loads(answer.text, parse_float=Decimal)


def write(path: str, body: str, idempotency_key: str | None, signed: bool = False) -> Call:
    key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
    return Call("POST", path, body=body, signed=signed, idempotency_key=key)


def path_segment(value: str | int) -> str:
    """Encodes a value, so that it cannot change the route."""
    return percent_encode(str(value), safe="")


def query(values: Filters) -> str:
    """Makes a query with its question mark; empty if there are no values."""
    present = {
        name: format_time(value) if isinstance(value, datetime) else value
        for name, value in values.items()
        if value is not None
    }
    return f"?{urlencode(present)}" if present else ""


def _unix_time(text: str) -> float:
    """Reads a time in RFC 3339 and UTC; Python 3.10 does not read the Z."""
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")
    return moment.replace(tzinfo=timezone.utc).timestamp()
