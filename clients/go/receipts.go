package sabika

import (
	"fmt"
	"math/big"
	"regexp"
	"time"
)

// Receipt says what an order traded, and the share of which bars is owned from then on (Decision D103).
// Grams may have 6 decimals here.
type Receipt struct {
	OrderID    string
	Partner    string
	ExecutedAt time.Time
	Side       Side
	Gold       Grams
	// Mid is nil unless your terms disclose the spread.
	Mid          *Price
	PricePerGram Price
	PriceSource  string
	// PriceAsOf is nil if it is not known.
	PriceAsOf   *time.Time
	PriceNumber string
	// A buy's Total is Value and the others together, a sale's is Value less the others.
	Value, Fee, GoldVAT, FeeVAT, Total SAR
	// Balances are those after the order.
	Balances                Balances
	PoolID                  string
	PoolVersion             int64
	PoolHash                string
	PoolFine                Grams
	SharePartner, SharePool Grams
	// Count is the last count of the bars; nil if there was none.
	Count         *ReceiptCount
	RequestSHA256 string
}

// ReceiptCount is a count of the bars of a version.
type ReceiptCount struct {
	Version int64
	At      time.Time
	By      string
}

// ReceiptToVerify is a receipt with what its holder has kept. What is empty is not checked, but for Keys.
type ReceiptToVerify struct {
	JWS string
	// Keys is the JSON of /.well-known/sabika-receipt-keys.json.
	Keys []byte
	// Bars is the JSON of the pool's version, byte for byte.
	Bars []byte
	// Order is the JSON of your order as it was answered.
	Order []byte
	// Signed is the string that you signed: SignedRequest.CanonicalString.
	Signed string
}

// VerifiedReceipt says what holds of a receipt and what does not, by the names in docs/vectors/receipt.json.
type VerifiedReceipt struct {
	// Receipt is nil unless a published key signed it.
	Receipt *Receipt
	// Holds has what was checked and holds: signature, value, parts, share, order, request, bars.
	Holds []string
	// Faults has what does not hold; it is empty when all is well.
	Faults []string
}

// OK returns whether all that was checked holds.
func (v VerifiedReceipt) OK() bool { return len(v.Faults) == 0 }

// VerifyReceipt verifies without a network that a published key signed a receipt, and that it fits what its
// holder has kept. The error is for Keys or Order that are something else.
func VerifyReceipt(input ReceiptToVerify) (VerifiedReceipt, error) {
	keys, err := readKeys(input.Keys, false)
	if err != nil {
		return VerifiedReceipt{}, fmt.Errorf("keys: %w", err)
	}
	var order *keptOrder
	if input.Order != nil {
		if order, err = readKeptOrder(input.Order); err != nil {
			return VerifiedReceipt{}, fmt.Errorf("order: %w", err)
		}
	}
	receipt, hasEnded, fault := openReceipt(input.JWS, keys)
	if fault != "" {
		return VerifiedReceipt{Faults: []string{fault}}, nil
	}
	verified := VerifiedReceipt{Receipt: receipt}
	judge := func(check, fault string, fits bool) {
		if fits {
			verified.Holds = append(verified.Holds, check)
		} else {
			verified.Faults = append(verified.Faults, fault)
		}
	}
	judge("signature", "key_ended", !hasEnded)
	judge("value", "value_wrong", receipt.valueIsRight())
	judge("parts", "parts_do_not_sum", receipt.totalIsRight())
	judge("share", "share_wrong", receipt.shareIsRight())
	if order != nil {
		fault := order.judge(receipt)
		judge("order", fault, fault == "")
	}
	if input.Signed != "" {
		judge("request", "other_request", sha256Hex([]byte(input.Signed)) == receipt.RequestSHA256)
	}
	if input.Bars != nil {
		fault := judgeBars(receipt, input.Bars)
		judge("bars", fault, fault == "")
	}
	return verified, nil
}

func openReceipt(jws string, keys []knownKey) (receipt *Receipt, hasEnded bool, fault string) {
	payload, key, fault := openSigned(jws, "sabika-receipt", keys)
	if fault != "" {
		return nil, false, fault
	}
	receipt, err := readReceipt(payload)
	if err != nil {
		return nil, false, "malformed"
	}
	return receipt, key.validUntil != nil && receipt.ExecutedAt.After(*key.validUntil), ""
}

var orderIDForm = regexp.MustCompile(
	`^ord_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
var sideForm = regexp.MustCompile(`^(buy|sell)$`)
var unitForm = regexp.MustCompile(`^SAR/g$`)

func readReceipt(text []byte) (*Receipt, error) {
	r := &Receipt{}
	err := readStrict(text, func(o object) {
		r.OrderID = o.reader.text(o.members["order_id"], orderIDForm)
		r.Partner = o.text("partner")
		r.ExecutedAt = o.time("executed_at")
		r.Side = Side(o.reader.text(o.members["side"], sideForm))
		r.Gold = o.micrograms("gold_ug")
		price := o.inner("price")
		if !price.isNull("mid") {
			mid := amount(price, "mid", ParsePrice)
			r.Mid = &mid
		}
		r.PricePerGram = amount(price, "per_gram", ParsePrice)
		o.reader.text(price.members["unit"], unitForm)
		r.PriceSource = price.text("source")
		r.PriceAsOf = price.timeOrNil("as_of")
		r.PriceNumber = o.reader.text(price.members["number"], digitsForm)
		parts := o.inner("parts")
		r.Value, r.Fee = amount(parts, "value", ParseSAR), amount(parts, "fee", ParseSAR)
		r.GoldVAT, r.FeeVAT = amount(parts, "gold_vat", ParseSAR), amount(parts, "fee_vat", ParseSAR)
		r.Total = amount(parts, "total", ParseSAR)
		r.Balances = readBalances(o.inner("balances_after"))
		pool := o.inner("pool")
		r.PoolID, r.PoolVersion = pool.text("id"), pool.counting("version")
		r.PoolHash, r.PoolFine = pool.hash("hash"), pool.micrograms("fine_ug")
		share := o.list("share")
		if len(share) != 2 {
			o.reader.failed = true
			return
		}
		r.SharePartner, r.SharePool = o.reader.micrograms(share[0]), o.reader.micrograms(share[1])
		r.Count = readCounted(o)
		r.RequestSHA256 = o.hash("request_sha256")
	})
	return r, err
}

// readCounted reads the member count, which may be null.
func readCounted(o object) *ReceiptCount {
	if o.isNull("count") {
		return nil
	}
	count := o.inner("count")
	return &ReceiptCount{count.counting("version"), count.time("at"), count.text("by")}
}

func readBalances(o object) Balances {
	return Balances{SAR: amount(o, "sar", ParseSAR), Gold: amount(o, "gold_grams", ParseGrams)}
}

// valueIsRight computes price × gold in 10^-10 riyals, of which a halala has 10^8 (Decision D6).
func (r *Receipt) valueIsRight() bool {
	value := new(big.Int).Mul(big.NewInt(int64(r.Gold)), big.NewInt(int64(r.PricePerGram)))
	halala := big.NewInt(100_000_000)
	if r.Side == Buy {
		value.Add(value, new(big.Int).Sub(halala, big.NewInt(1)))
	}
	return value.Div(value, halala).Cmp(big.NewInt(int64(r.Value))) == 0
}

func (r *Receipt) totalIsRight() bool {
	beside := r.Fee + r.GoldVAT + r.FeeVAT
	if r.Side == Sell {
		beside = -beside
	}
	return r.Value+beside == r.Total
}

func (r *Receipt) shareIsRight() bool {
	return r.SharePartner == r.Balances.Gold && r.SharePool == r.PoolFine && r.SharePartner <= r.SharePool
}
