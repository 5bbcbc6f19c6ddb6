package sabika

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
)

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
	keys, auditors []knownKey
	mine           *opening
	all            []*opening
}

func readReserveKept(input ReserveToVerify) (kept reserveKept, err error) {
	if input.Keys != nil {
		if kept.keys, err = readKeys(input.Keys, false); err != nil {
			return kept, fmt.Errorf("keys: %w", err)
		}
	}
	if input.AttestationKeys != nil {
		if kept.auditors, err = readKeys(input.AttestationKeys, true); err != nil {
			return kept, fmt.Errorf("attestation keys: %w", err)
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
		found["opening_negative"] = found["opening_negative"] || one.cash < 0
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
