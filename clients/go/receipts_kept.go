package sabika

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
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

var changeForm = regexp.MustCompile(`^(add|remove|replace)$`)
var finenessForm = regexp.MustCompile(`^(1000|[1-9][0-9]{0,2}(\.[1-9])?|0\.[1-9])$`)

// judgeBars returns the fault; empty if there is none.
func judgeBars(r *Receipt, text []byte) string {
	if sha256Hex(text) != r.PoolHash {
		return "bars_altered"
	}
	var pool string
	var number int64
	fine := new(big.Int)
	err := readStrict(text, func(o object) {
		pool, number = o.text("pool"), o.counting("number")
		o.reader.text(o.members["kind"], changeForm)
		if o.isNull("previous") {
			o.reader.failed = o.reader.failed || number != 1
		} else {
			o.hash("previous")
			o.reader.failed = o.reader.failed || number == 1
		}
		var before []string
		for _, item := range o.list("bars") {
			name, weight := readBar(o.reader.object(item))
			// Sorted, and none there twice.
			o.reader.failed = o.reader.failed || before != nil && slices.Compare(before, name) >= 0
			before = name
			fine.Add(fine, big.NewInt(int64(weight)))
		}
	})
	if err != nil {
		return "bars_malformed"
	}
	if pool != r.PoolID || number != r.PoolVersion || fine.Cmp(big.NewInt(int64(r.PoolFine))) != 0 {
		return "bars_do_not_fit"
	}
	return ""
}

// readBar reads a bar whose fine weight is its gross weight × fineness, rounded down (Decision D94).
func readBar(o object) (name []string, fine Grams) {
	for _, document := range o.list("documents") {
		o.reader.text(document, hashForm)
	}
	for _, member := range []string{"place", "vault"} {
		if !o.isNull(member) {
			o.text(member)
		}
	}
	text := o.reader.text(o.members["fineness"], finenessForm)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	tenThousandths, err := strconv.ParseInt(strings.Replace(text, ".", "", 1), 10, 64)
	fine = o.micrograms("fine_ug")
	product := new(big.Int).Mul(big.NewInt(int64(o.micrograms("gross_ug"))), big.NewInt(tenThousandths))
	product.Div(product, big.NewInt(10_000))
	o.reader.failed = o.reader.failed || err != nil || product.Cmp(big.NewInt(int64(fine))) != 0
	return []string{o.text("refiner"), o.text("serial")}, fine
}
