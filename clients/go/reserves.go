package sabika

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
)

// Reserve says what was owed at the end of a day in Riyadh, and what was there for it (Decision D105).
type Reserve struct {
	Day string
	// Previous is the hash of the reserve before; empty for the first.
	Previous string
	// Commitments are to the balances of each partner.
	Commitments []string
	// Bank is nil if nobody entered its balance.
	Bank                   *SAR
	InTransit, Obligations SAR
	Pools                  []ReservePool
}

// ReservePool is the gold of a pool. Grams may have 6 decimals here.
type ReservePool struct {
	ID string
	// Version is 0 before the first bar.
	Version           int64
	Fine, Obligations Grams
	// Count is the last count of the bars; nil if there was none.
	Count *ReceiptCount
}

// ReserveToVerify is a reserve with what its reader has kept. What is nil is not checked, and a signature only with
// keys.
type ReserveToVerify struct {
	// Text is Reserve of a PublishedReserve, as are Hash and Signature.
	Text            []byte
	Hash, Signature *string
	// Keys is the JSON of /.well-known/sabika-receipt-keys.json.
	Keys []byte
	// Previous is the text of the reserve of the day before.
	Previous []byte
	// Mine is the JSON of /v1/reserves/{day}/mine.
	Mine []byte
	// Openings is the file of an auditor: one such JSON a line.
	Openings []byte
}

// VerifiedReserve says what does not hold of a reserve, by the names in docs/vectors/reserve.json.
type VerifiedReserve struct {
	// Reserve is nil if it is malformed.
	Reserve *Reserve
	// Faults has what does not hold; it is empty when all is well.
	Faults []string
}

// OK returns whether all that was checked holds.
func (v VerifiedReserve) OK() bool { return len(v.Faults) == 0 }

var reserveFaults = []string{
	"other_hash", "wrong_signature", "other_previous", "other_day", "not_committed", "openings_missing",
	"cash_differs", "gold_differs", "gold_not_covered",
}

// VerifyReserve verifies without a network that a reserve is the one that its reader knows, and has the reader's
// balances. The error is for Keys, Mine or Openings that are something else.
func VerifyReserve(input ReserveToVerify) (VerifiedReserve, error) {
	kept, err := readReserveKept(input)
	if err != nil {
		return VerifiedReserve{}, err
	}
	reserve, err := readReserve(input.Text)
	if err != nil {
		return VerifiedReserve{Faults: []string{"malformed"}}, nil
	}
	hash := sha256Hex(input.Text)
	signed := input.Signature == nil || input.Keys == nil
	if !signed {
		payload, _, fault := openSigned(*input.Signature, "sabika-reserve", kept.keys)
		text := fmt.Sprintf(`{"day":%s,"hash":"%s","signer":"operator"}`, jsonString(reserve.Day), hash)
		signed = fault == "" && string(payload) == text
	}
	found := map[string]bool{
		"other_hash":      input.Hash != nil && *input.Hash != hash,
		"wrong_signature": !signed,
		"other_previous":  input.Previous != nil && reserve.Previous != sha256Hex(input.Previous),
		"gold_not_covered": slices.ContainsFunc(reserve.Pools, func(pool ReservePool) bool {
			return pool.Obligations > pool.Fine
		}),
	}
	kept.judge(reserve, found)
	verified := VerifiedReserve{Reserve: reserve}
	for _, fault := range reserveFaults {
		if found[fault] {
			verified.Faults = append(verified.Faults, fault)
		}
	}
	return verified, nil
}

func readReserve(text []byte) (*Reserve, error) {
	r := &Reserve{}
	err := readStrict(text, func(o object) {
		r.Day = o.text("day")
		if !o.isNull("previous") {
			r.Previous = o.hash("previous")
		}
		cash := o.inner("cash")
		if !cash.isNull("bank") {
			bank := amount(cash, "bank", ParseSAR)
			r.Bank = &bank
		}
		r.InTransit = amount(cash, "in_transit", ParseSAR)
		r.Obligations = amount(cash, "obligations", ParseSAR)
		for _, item := range o.list("commitments") {
			r.Commitments = append(r.Commitments, o.reader.text(item, hashForm))
		}
		var ids []string
		for _, item := range o.list("pools") {
			pool := readReservePool(o.reader.object(item))
			ids = append(ids, pool.ID)
			r.Pools = append(r.Pools, pool)
		}
		o.reader.failed = o.reader.failed || !isRising(r.Commitments) || !isRising(ids)
	})
	return r, err
}

func readReservePool(o object) ReservePool {
	pool := ReservePool{
		ID: o.text("id"), Fine: o.micrograms("fine_ug"), Obligations: o.micrograms("obligations_ug"),
		Count: readCounted(o),
	}
	if !o.isNull("version") {
		pool.Version = o.counting("version")
	}
	return pool
}

// isRising returns whether texts are sorted, and none is there twice.
func isRising(texts []string) bool {
	for i := 1; i < len(texts); i++ {
		if texts[i-1] >= texts[i] {
			return false
		}
	}
	return true
}

type opening struct {
	partner, day, pool, salt string
	cash                     SAR
	gold                     Grams
}

func readOpening(text []byte) (*opening, error) {
	opened := &opening{}
	err := readStrict(text, func(o object) {
		*opened = opening{
			partner: o.text("partner"), day: o.text("day"), pool: o.text("pool"), salt: o.hash("salt"),
			cash: amount(o, "cash", ParseSAR), gold: o.micrograms("gold_ug"),
		}
	})
	return opened, err
}

// commitment is the hash of the salt and four lines (Decision D105).
func (o *opening) commitment() string {
	salt, _ := hex.DecodeString(o.salt)
	lines := fmt.Sprintf("%s\n%s\n%d\n%d\n", o.partner, o.day, int64(o.cash), int64(o.gold))
	return sha256Hex(slices.Concat(salt, []byte(lines)))
}

// reserveKept is what the reader of a reserve has kept; all is nil unless it is an auditor.
type reserveKept struct {
	keys []knownKey
	mine *opening
	all  []*opening
}

func readReserveKept(input ReserveToVerify) (kept reserveKept, err error) {
	if input.Keys != nil {
		if kept.keys, err = readKeys(input.Keys, false); err != nil {
			return kept, fmt.Errorf("keys: %w", err)
		}
	}
	if input.Mine != nil {
		if kept.mine, err = readOpening(input.Mine); err != nil {
			return kept, fmt.Errorf("mine: %w", err)
		}
	}
	if input.Openings == nil {
		return kept, nil
	}
	kept.all = []*opening{}
	for line := range bytes.SplitSeq(input.Openings, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		one, err := readOpening(line)
		if err != nil {
			return kept, fmt.Errorf("openings: %w", err)
		}
		kept.all = append(kept.all, one)
	}
	return kept, nil
}

func (k reserveKept) judge(reserve *Reserve, found map[string]bool) {
	opened := k.all
	if opened == nil && k.mine != nil {
		opened = []*opening{k.mine}
	}
	isKnown := map[string]bool{}
	for _, commitment := range reserve.Commitments {
		isKnown[commitment] = true
	}
	isOpened, isAllKnown := map[string]bool{}, true
	for _, one := range opened {
		found["other_day"] = found["other_day"] || one.day != reserve.Day
		commitment := one.commitment()
		isOpened[commitment] = true
		isAllKnown = isAllKnown && isKnown[commitment]
	}
	found["not_committed"] = !isAllKnown && !found["other_day"] ||
		k.all != nil && k.mine != nil && !isKnown[k.mine.commitment()]
	if k.all == nil {
		return
	}
	for commitment := range isKnown {
		found["openings_missing"] = found["openings_missing"] || !isOpened[commitment]
	}
	k.judgeTotals(reserve, found)
}

func (k reserveKept) judgeTotals(reserve *Reserve, found map[string]bool) {
	cash, gold := new(big.Int), map[string]*big.Int{}
	add := func(pool string, amount Grams) {
		if gold[pool] == nil {
			gold[pool] = new(big.Int)
		}
		gold[pool].Add(gold[pool], big.NewInt(int64(amount)))
	}
	for _, one := range k.all {
		cash.Add(cash, big.NewInt(int64(one.cash)))
		add(one.pool, one.gold)
	}
	for _, pool := range reserve.Pools {
		add(pool.ID, -pool.Obligations)
	}
	found["cash_differs"] = cash.Cmp(big.NewInt(int64(reserve.Obligations))) != 0
	for _, rest := range gold {
		found["gold_differs"] = found["gold_differs"] || rest.Sign() != 0
	}
}
