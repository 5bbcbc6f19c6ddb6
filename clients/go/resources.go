package sabika

import (
	"encoding/json"
	"time"
)

// Side is the direction of a trade from the partner's point of view.
type Side string

// Buy is money out, gold in; Sell the reverse.
const (
	Buy  Side = "buy"
	Sell Side = "sell"
)

// Health is the state of the service: Status is ok, or unavailable with an empty Environment.
type Health struct {
	Status      string `json:"status"`
	Environment string `json:"environment"`
}

// Prices has the indicative prices of a gram of 24K gold.
type Prices struct {
	Buy  Price     `json:"buy_price_sar"`
	Sell Price     `json:"sell_price_sar"`
	Mid  Price     `json:"mid_price_sar"`
	AsOf time.Time `json:"as_of"`
}

// HistoryQuery is a period of the price history; zero times are 100 spans ago and now, no Interval an hour.
type HistoryQuery struct {
	From     time.Time
	To       time.Time
	Interval string // 1m, 5m, 1h or 1d
}

// PriceHistory is the course of the mid price, oldest first, without spans in which there was no price.
type PriceHistory struct {
	Interval string      `json:"interval"`
	From     time.Time   `json:"from"`
	To       time.Time   `json:"to"`
	Spans    []PriceSpan `json:"spans"`
}

// PriceSpan has the mid prices of a span; Open is nil if it is not known.
type PriceSpan struct {
	Start time.Time `json:"start"`
	Open  *Price    `json:"open_sar"`
	High  Price     `json:"high_sar"`
	Low   Price     `json:"low_sar"`
	Close Price     `json:"close_sar"`
	Count int       `json:"count"`
}

// Balances are a partner's money and gold.
type Balances struct {
	SAR  SAR   `json:"sar"`
	Gold Grams `json:"gold_grams"`
}

// Vault is the pool of bars that the partner's gold is a share of.
type Vault struct {
	Pool    string    `json:"pool"`
	Version int64     `json:"version"`
	Hash    string    `json:"hash"`
	MadeAt  time.Time `json:"made_at"`
	// FineMicrograms are of all its bars, of which there are so many.
	FineMicrograms int64 `json:"fine_ug,string"`
	Bars           int   `json:"bars"`
	// LastCount is nil if the whole pool was never counted.
	LastCount *LastCount `json:"last_count"`
}

// LastCount is a count of all bars; it agrees if they were there as recorded, and no others.
type LastCount struct {
	CountedAt  time.Time `json:"counted_at"`
	AgeSeconds int64     `json:"age_seconds"`
	Agrees     bool      `json:"agrees"`
	// SHA256 is that of the count's canonical JSON; nil where several pools were counted together.
	SHA256 *string `json:"sha256"`
	// Inspected is nil while no inspector from outside has signed it.
	Inspected *CountInspection `json:"inspected"`
}

// CountInspection says whose key signed a count, and has the signature, for VerifyCount.
type CountInspection struct {
	By        string `json:"by"`
	KeyID     string `json:"key"`
	Signature string `json:"signature"`
}

// PublishedReserve is a reserve as it is published; json.Unmarshal reads one that was kept.
type PublishedReserve struct {
	// Text is canonical JSON, whose SHA-256 is the hash.
	Text json.RawMessage `json:"reserve"`
	Hash string          `json:"hash"`
	// Signature is the operator's; nil until it has signed.
	Signature *string `json:"signature"`
	// Attested says whether an auditor that has seen all openings has signed it, and Attestation is its signature.
	Attested    bool    `json:"attested"`
	Attestation *string `json:"attestation"`
}

// FundRequest credits the account at once; sandbox only.
type FundRequest struct {
	Amount         SAR    `json:"amount_sar"`
	IdempotencyKey string `json:"-"`
}

// Funding is money received into the partner's account.
type Funding struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Amount  SAR    `json:"amount_sar"`
	Balance SAR    `json:"balance_sar"`
}

// QuoteRequest requests a firm price for exactly one of Gold and Amount. For Amount, a buy is of the most
// gold that it pays, and a sale of the least gold that brings it.
type QuoteRequest struct {
	Side           Side   `json:"side"`
	Gold           Grams  `json:"gold_grams,omitempty"`
	Amount         SAR    `json:"amount_sar,omitempty"`
	IdempotencyKey string `json:"-"`
}

// Quote is firm for 60 seconds: an order that arrives before ExpiresAt has exactly Total.
type Quote struct {
	ID           string `json:"id"`
	Status       string `json:"status"`
	Side         Side   `json:"side"`
	Gold         Grams  `json:"gold_grams"`
	PricePerGram Price  `json:"price_per_gram_sar"`
	Fee          SAR    `json:"fee_sar"`
	VAT          SAR    `json:"vat_sar"`
	// GoldVAT and FeeVAT are the parts of VAT, and PriceSource simulated, fixed or feed; nil and empty if not known.
	GoldVAT     *SAR      `json:"gold_vat_sar"`
	FeeVAT      *SAR      `json:"fee_vat_sar"`
	PriceSource string    `json:"price_source"`
	PriceAsOf   time.Time `json:"price_as_of"`
	Total       SAR       `json:"total_sar"`
	ExpiresAt   time.Time `json:"expires_at"`
	OrderID     string    `json:"order_id"`
	// Requested is nil unless the quote was requested by amount.
	Requested *struct {
		Amount SAR `json:"amount_sar"`
	} `json:"requested"`
}

// OrderRequest executes a quote. The order has the same ClientReference.
type OrderRequest struct {
	QuoteID         string `json:"quote_id"`
	ClientReference string `json:"client_reference,omitempty"`
	IdempotencyKey  string `json:"-"`
}

// Order is an executed order.
type Order struct {
	ID           string `json:"id"`
	QuoteID      string `json:"quote_id"`
	Status       string `json:"status"`
	Side         Side   `json:"side"`
	Gold         Grams  `json:"gold_grams"`
	PricePerGram Price  `json:"price_per_gram_sar"`
	Fee          SAR    `json:"fee_sar"`
	VAT          SAR    `json:"vat_sar"`
	// As those of Quote.
	GoldVAT         *SAR       `json:"gold_vat_sar"`
	FeeVAT          *SAR       `json:"fee_vat_sar"`
	PriceSource     string     `json:"price_source"`
	PriceAsOf       *time.Time `json:"price_as_of"`
	Total           SAR        `json:"total_sar"`
	ClientReference string     `json:"client_reference"`
	ExecutedAt      time.Time  `json:"executed_at"`
	// Balances after this order; only in the answer to the order and its repeat.
	Balances *Balances `json:"balances"`
}

// WithdrawalRequest pays to the settlement IBAN that the operator has registered.
type WithdrawalRequest struct {
	Amount          SAR    `json:"amount_sar"`
	ClientReference string `json:"client_reference,omitempty"`
	IdempotencyKey  string `json:"-"`
}

// Withdrawal is a payment to the settlement IBAN.
type Withdrawal struct {
	ID              string `json:"id"`
	Status          string `json:"status"`
	Amount          SAR    `json:"amount_sar"`
	ClientReference string `json:"client_reference"`
}

// Probe is the result of a signature test, which has no other effect.
type Probe struct {
	Verified        bool   `json:"verified"`
	KeyID           string `json:"key_id"`
	CanonicalSHA256 string `json:"canonical_sha256"`
}
