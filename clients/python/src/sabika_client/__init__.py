"""Client of Sabika: buying and selling physical-backed 24K gold. See README.md."""

from . import error_classes, resources
from .amounts import AmountError, format_amount, parse_amount
from .async_client import AsyncClient
from .client import Client
from .counts import VerifiedCount, verify_count
from .error_classes import *
from .errors import SabikaError
from .kit import Kit, KitError, KitValues, open_kit
from .ordered_receiver import OrderedReceiver, SequenceInMemory, SequenceStore
from .pages import AsyncPages, Page, Pages
from .receipts import VerifiedReceipt, verify_receipt
from .reserves import PublishedReserve, VerifiedReserve, verify_reserve
from .resources import *
from .retry import Retry
from .sequence_postgres import SequenceInPostgres
from .signers import kms_signer, pkcs11_signer
from .signing import (
    KeySigner,
    SignatureRefused,
    Signer,
    canonical_string,
    load_private_key,
    sign_request,
    verify_detached,
)
from .versions import VerifiedVersions, verify_versions
from .webhooks import Event, SeenInMemory, WebhookReceiver, WebhookRefused, verify_webhook

__all__ = [
    "AmountError",
    "AsyncClient",
    "AsyncPages",
    "Client",
    "Event",
    "KeySigner",
    "Kit",
    "KitError",
    "KitValues",
    "OrderedReceiver",
    "Page",
    "Pages",
    "PublishedReserve",
    "Retry",
    "SabikaError",
    "SeenInMemory",
    "SequenceInMemory",
    "SequenceInPostgres",
    "SequenceStore",
    "SignatureRefused",
    "Signer",
    "VerifiedCount",
    "VerifiedReceipt",
    "VerifiedReserve",
    "VerifiedVersions",
    "WebhookReceiver",
    "WebhookRefused",
    "canonical_string",
    "format_amount",
    "kms_signer",
    "load_private_key",
    "open_kit",
    "parse_amount",
    "pkcs11_signer",
    "sign_request",
    "verify_count",
    "verify_detached",
    "verify_receipt",
    "verify_reserve",
    "verify_versions",
    "verify_webhook",
]
__all__ += error_classes.__all__
__all__ += resources.__all__
