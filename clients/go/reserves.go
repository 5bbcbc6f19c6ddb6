package sabika

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
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

// ReserveToVerify is a reserve with what its reader has kept. What is nil is not checked, and a signature only with
// its keys.
type ReserveToVerify struct {
	// Text is that of a PublishedReserve, as are Hash, Signature and Attestation.
	Text                         []byte
	Hash, Signature, Attestation *string
	// Keys is the JSON of /.well-known/sabika-receipt-keys.json.
	Keys []byte
	// AttestationKeys is the JSON of /.well-known/sabika-attestation-keys.json.
	AttestationKeys []byte
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
	// AttestedBy is whose key signed the attestation; empty unless a published key did.
	AttestedBy string
}

// OK returns whether all that was checked holds.
func (v VerifiedReserve) OK() bool { return len(v.Faults) == 0 }

var reserveFaults = []string{
	"other_hash", "wrong_signature", "attestation_malformed", "attestation_wrong_algorithm",
	"attestation_unknown_key", "attestation_altered", "attestation_other_role", "attestation_key_ended",
	"attestation_other_reserve", "other_previous", "other_day", "not_committed", "opening_negative",
	"openings_missing", "cash_differs", "gold_differs", "gold_not_covered",
}

// VerifyReserve verifies without a network that a reserve is the one that its reader knows, and has the reader's
// balances. The error is for keys, Mine or Openings that are something else.
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
	verified := VerifiedReserve{Reserve: reserve}
	if input.Attestation != nil && input.AttestationKeys != nil {
		verified.AttestedBy = judgeAttestation(reserve.Day, hash, *input.Attestation, kept.auditors, found)
	}
	kept.judge(reserve, found)
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

// judgeAttestation finds what does not hold of an attestation (Decision D107), and returns whose key signed it.
func judgeAttestation(day, hash, jws string, keys []knownKey, found map[string]bool) string {
	payload, key, fault := openSigned(jws, "sabika-attestation", keys)
	if fault != "" {
		found["attestation_"+fault] = true
		return ""
	}
	found["attestation_other_role"] = key.role != "auditor"
	// Days end in Riyadh, UTC+3; a day that is none ends never.
	end, err := time.Parse(time.RFC3339, day+"T21:00:00Z")
	found["attestation_key_ended"] = err == nil && key.validUntil != nil && !key.validUntil.After(end)
	if string(payload) != attestationText(day, hash) {
		other := isAttestation(payload)
		found["attestation_other_reserve"], found["attestation_malformed"] = other, !other
	}
	return key.holder
}

func attestationText(day, hash string) string {
	return fmt.Sprintf(`{"day":%s,"hash":"%s"}`, jsonString(day), hash)
}

func isAttestation(payload []byte) bool {
	text := ""
	err := readStrict(payload, func(o object) { text = attestationText(o.text("day"), o.hash("hash")) })
	return err == nil && text == string(payload)
}
