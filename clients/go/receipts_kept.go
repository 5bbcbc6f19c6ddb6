package sabika

import (
	"math/big"
	"time"
)

// keptOrder has the members of an order that its receipt must have too; those that were absent are nil.
type keptOrder struct {
	id           string
	executedAt   time.Time
	side         Side
	gold         Grams
	pricePerGram Price
	mid          *Price
	source       *string
	asOf         *time.Time
	fee, vat     SAR
	goldVAT      *SAR
	feeVAT       *SAR
	total        SAR
	balances     *Balances
}

func readKeptOrder(text []byte) (*keptOrder, error) {
	kept := &keptOrder{}
	err := readStrict(text, func(o object) {
		kept.id, kept.executedAt = o.text("id"), o.time("executed_at")
		kept.side = Side(o.reader.text(o.members["side"], sideForm))
		kept.gold = amount(o, "gold_grams", ParseGrams)
		kept.pricePerGram = amount(o, "price_per_gram_sar", ParsePrice)
		kept.mid = optional(o, "mid_price_sar", ParsePrice)
		if o.has("price_source") {
			source := o.text("price_source")
			kept.source = &source
		}
		if o.has("price_as_of") {
			asOf := o.time("price_as_of")
			kept.asOf = &asOf
		}
		kept.fee, kept.vat = amount(o, "fee_sar", ParseSAR), amount(o, "vat_sar", ParseSAR)
		kept.goldVAT = optional(o, "gold_vat_sar", ParseSAR)
		kept.feeVAT = optional(o, "fee_vat_sar", ParseSAR)
		kept.total = amount(o, "total_sar", ParseSAR)
		if o.has("balances") {
			balances := readBalances(o.inner("balances"))
			kept.balances = &balances
		}
	})
	return kept, err
}

func optional[T any](o object, name string, parse func(string) (T, error)) *T {
	if !o.has(name) {
		return nil
	}
	value := amount(o, name, parse)
	return &value
}

// judge returns the fault; empty if there is none.
func (k *keptOrder) judge(r *Receipt) string {
	if k.id != r.OrderID {
		return "other_order"
	}
	asOf := k.asOf == nil || r.PriceAsOf != nil && k.asOf.Equal(*r.PriceAsOf)
	mid := k.mid == nil || r.Mid != nil && *k.mid == *r.Mid
	if k.executedAt.Equal(r.ExecutedAt) && k.side == r.Side && k.gold == r.Gold &&
		k.pricePerGram == r.PricePerGram && mid && asOf && isAbsentOr(k.source, r.PriceSource) &&
		k.fee == r.Fee && k.vat == r.GoldVAT+r.FeeVAT && isAbsentOr(k.goldVAT, r.GoldVAT) &&
		isAbsentOr(k.feeVAT, r.FeeVAT) && k.total == r.Total && isAbsentOr(k.balances, r.Balances) {
		return ""
	}
	return "order_differs"
}

func isAbsentOr[T comparable](kept *T, value T) bool { return kept == nil || *kept == value }

// judgeBars returns the fault; empty if there is none.
func judgeBars(r *Receipt, text []byte) string {
	if sha256Hex(text) != r.PoolHash {
		return "bars_altered"
	}
	version, err := readPoolVersion(text)
	if err != nil {
		return "bars_malformed"
	}
	fine := big.NewInt(int64(r.PoolFine))
	if version.pool != r.PoolID || version.number != r.PoolVersion || version.fine.Cmp(fine) != 0 {
		return "bars_do_not_fit"
	}
	return ""
}
