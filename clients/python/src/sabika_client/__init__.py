"""Client of Sabika: buying and selling physical-backed 24K gold. See README.md."""

from .amounts import AmountError, format_amount, parse_amount
from .client import Client
from .counts import VerifiedCount, verify_count
from .errors import SabikaError
from .kit import Kit, KitError, open_kit
from .receipts import VerifiedReceipt, verify_receipt
from .reserves import PublishedReserve, VerifiedReserve, verify_reserve
from .resources import (
    Balances,
    CountInspection,
    Funding,
    Health,
    LastCount,
    Order,
    Price,
    PriceHistory,
    PriceSpan,
    Probe,
    Quote,
    Vault,
    Withdrawal,
)
from .retry import Retry
from .signing import SignatureRefused, canonical_string, sign_request, verify_detached
from .versions import VerifiedVersions, verify_versions
from .webhooks import Event, SeenInMemory, WebhookReceiver, WebhookRefused, verify_webhook

__all__ = [
    "AmountError",
    "Balances",
    "Client",
    "CountInspection",
    "Event",
    "Funding",
    "Health",
    "Kit",
    "KitError",
    "LastCount",
    "Order",
    "Price",
    "PriceHistory",
    "PriceSpan",
    "Probe",
    "PublishedReserve",
    "Quote",
    "Retry",
    "SabikaError",
    "SeenInMemory",
    "SignatureRefused",
    "Vault",
    "VerifiedCount",
    "VerifiedReceipt",
    "VerifiedReserve",
    "VerifiedVersions",
    "WebhookReceiver",
    "WebhookRefused",
    "Withdrawal",
    "canonical_string",
    "format_amount",
    "open_kit",
    "parse_amount",
    "sign_request",
    "verify_count",
    "verify_detached",
    "verify_receipt",
    "verify_reserve",
    "verify_versions",
    "verify_webhook",
]
