package sabika

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// PoolCount says what a count of a pool found (Decision D104), by the serials of the bars.
type PoolCount struct {
	CountedAt                 time.Time
	Found, Missing, Different []string
	// Place is nil for all places.
	Place *string
	Pool  string
	// Version is 0 before the first bar.
	Version int64
}

// CountToVerify is an inspector's signature under a count.
type CountToVerify struct {
	JWS string
	// Keys is the JSON of /.well-known/sabika-attestation-keys.json.
	Keys []byte
	// Count is the text of the count that it has to be of; nil for any.
	Count []byte
}

// VerifiedCount is what a signature under a count says, and what of it does not hold.
type VerifiedCount struct {
	// Count is nil if it cannot be read.
	Count *PoolCount
	// Holder is whose key signed it; empty unless a published key did.
	Holder string
	// Faults has what does not hold, by the names in docs/vectors/count.json; it is empty when all is well.
	Faults []string
}

// OK returns whether all that was checked holds.
func (v VerifiedCount) OK() bool { return len(v.Faults) == 0 }

// VerifyCount verifies without a network that an inspector signed a count (Decision D106). The error is for Keys
// that are something else.
func VerifyCount(input CountToVerify) (VerifiedCount, error) {
	keys, err := readKeys(input.Keys, true)
	if err != nil {
		return VerifiedCount{}, fmt.Errorf("keys: %w", err)
	}
	payload, key, fault := openSigned(input.JWS, "sabika-count", keys)
	if fault != "" {
		return VerifiedCount{Faults: []string{fault}}, nil
	}
	verified := VerifiedCount{Holder: key.holder}
	count, err := readPoolCount(payload)
	if err != nil {
		verified.Faults = []string{"malformed"}
		return verified, nil
	}
	verified.Count = count
	judge := func(fault string, isFound bool) {
		if isFound {
			verified.Faults = append(verified.Faults, fault)
		}
	}
	judge("other_role", key.role != "inspector")
	judge("key_ended", key.validUntil != nil && !key.validUntil.After(count.CountedAt))
	judge("other_count", input.Count != nil && string(input.Count) != string(payload))
	return verified, nil
}

var writtenTimeForm = regexp.MustCompile(`\.\d{3}Z$`)

// readPoolCount reads a count, which must be canonical.
func readPoolCount(text []byte) (*PoolCount, error) {
	c := &PoolCount{}
	canonical := ""
	err := readStrict(text, func(o object) {
		place, version := "null", "null"
		if !o.isNull("place") {
			text := o.text("place")
			c.Place, place = &text, jsonString(text)
		}
		if !o.isNull("version") {
			c.Version = o.counting("version")
			version = strconv.FormatInt(c.Version, 10)
		}
		c.CountedAt, c.Pool = o.time("counted_at"), o.text("pool")
		c.Found, c.Missing, c.Different = o.texts("found"), o.texts("missing"), o.texts("different")
		canonical = fmt.Sprintf(
			`{"counted_at":"%s","different":%s,"found":%s,"missing":%s,"place":%s,"pool":%s,"version":%s}`,
			o.reader.text(o.members["counted_at"], writtenTimeForm), jsonStrings(c.Different),
			jsonStrings(c.Found), jsonStrings(c.Missing), place, jsonString(c.Pool), version)
	})
	if err == nil && canonical != string(text) {
		err = errForm
	}
	return c, err
}
