package sabika

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// VerifiedVersions says what does not hold of versions, by the names in docs/vectors/versions.json.
type VerifiedVersions struct {
	// Faults has what does not hold; it is empty when all is well.
	Faults []string
	// At is the index of the first text that does not hold; -1 if all do.
	At int
}

// OK returns whether all holds.
func (v VerifiedVersions) OK() bool { return len(v.Faults) == 0 }

var versionsFaults = []string{
	"other_pool", "number_missing", "other_previous", "other_hash", "other_change", "less_fine",
}

// VerifyVersions verifies without a network that versions of a pool follow each other, and change what they say by no
// less fine gold (Decision D102). The texts are those that you have kept, byte for byte, oldest first; the first may
// be any. The hashes are those that you have kept by number, such as those of receipts; they may be nil.
func VerifyVersions(texts [][]byte, hashes map[int64]string) VerifiedVersions {
	versions := make([]*poolVersion, len(texts))
	for i, text := range texts {
		version, err := readPoolVersion(text)
		if err != nil {
			return VerifiedVersions{Faults: []string{"malformed"}, At: i}
		}
		versions[i] = version
	}
	found := map[string]bool{}
	verified := VerifiedVersions{At: -1}
	var before *poolVersion
	for i, version := range versions {
		if kept, ok := hashes[version.number]; ok && kept != sha256Hex(texts[i]) {
			found["other_hash"] = true
		}
		if before != nil && version.previous != sha256Hex(texts[i-1]) {
			found["other_previous"] = true
		}
		for _, fault := range version.judge(before) {
			found[fault] = true
		}
		if len(found) > 0 && verified.At < 0 {
			verified.At = i
		}
		before = version
	}
	for _, fault := range versionsFaults {
		if found[fault] {
			verified.Faults = append(verified.Faults, fault)
		}
	}
	return verified
}

// poolVersion is the list of bars that a version of a pool has (Decision D103).
type poolVersion struct {
	pool, kind string
	number     int64
	// previous is empty for the first.
	previous string
	// bars has the members of each bar, as one text.
	bars []string
	fine *big.Int
}

var changeForm = regexp.MustCompile(`^(add|remove|replace)$`)
var finenessForm = regexp.MustCompile(`^(1000|[1-9][0-9]{0,2}(\.[1-9])?|0\.[1-9])$`)

func readPoolVersion(text []byte) (*poolVersion, error) {
	version := &poolVersion{fine: new(big.Int)}
	err := readStrict(text, func(o object) {
		version.pool, version.number = o.text("pool"), o.counting("number")
		version.kind = o.reader.text(o.members["kind"], changeForm)
		isFirst := o.isNull("previous")
		if !isFirst {
			version.previous = o.hash("previous")
		}
		o.reader.failed = o.reader.failed || isFirst != (version.number == 1)
		var before []string
		for _, item := range o.list("bars") {
			name, bar, weight := readBar(o.reader.object(item))
			// Sorted, and none there twice.
			o.reader.failed = o.reader.failed || before != nil && slices.Compare(before, name) >= 0
			before = name
			version.bars = append(version.bars, bar)
			version.fine.Add(version.fine, big.NewInt(int64(weight)))
		}
	})
	return version, err
}

// readBar reads a bar whose fine weight is its gross weight × fineness, rounded down (Decision D94).
func readBar(o object) (name []string, bar string, fine Grams) {
	var places [2]string
	for i, member := range []string{"place", "vault"} {
		places[i] = "null"
		if !o.isNull(member) {
			places[i] = jsonString(o.text(member))
		}
	}
	documents := o.texts("documents")
	for _, document := range documents {
		o.reader.text(document, hashForm)
	}
	fineness := o.reader.text(o.members["fineness"], finenessForm)
	decimal := fineness
	if !strings.Contains(decimal, ".") {
		decimal += ".0"
	}
	tenThousandths, err := strconv.ParseInt(strings.Replace(decimal, ".", "", 1), 10, 64)
	gross := o.micrograms("gross_ug")
	fine = o.micrograms("fine_ug")
	product := new(big.Int).Mul(big.NewInt(int64(gross)), big.NewInt(tenThousandths))
	product.Div(product, big.NewInt(10_000))
	o.reader.failed = o.reader.failed || err != nil || product.Cmp(big.NewInt(int64(fine))) != 0
	name = []string{o.text("refiner"), o.text("serial")}
	bar = fmt.Sprint(jsonStrings(name), jsonStrings(documents), places, fineness, " ", int64(gross))
	return name, bar, fine
}

// judge returns what does not hold of a version after the one before, which is nil for the first text.
func (v *poolVersion) judge(before *poolVersion) (faults []string) {
	if before == nil {
		if v.number == 1 && changeOf(nil, v.bars) != v.kind {
			faults = append(faults, "other_change")
		}
		return faults
	}
	if v.pool != before.pool {
		faults = append(faults, "other_pool")
	}
	if v.number != before.number+1 {
		faults = append(faults, "number_missing")
	}
	if faults != nil {
		return faults
	}
	change := changeOf(before.bars, v.bars)
	if change != v.kind {
		faults = append(faults, "other_change")
	}
	if change == "replace" && v.fine.Cmp(before.fine) < 0 {
		faults = append(faults, "less_fine")
	}
	return faults
}

// changeOf returns what changed between two lists; empty if nothing did.
func changeOf(before, after []string) string {
	hasRemoved, hasAdded := !isSubset(before, after), !isSubset(after, before)
	switch {
	case hasRemoved && hasAdded:
		return "replace"
	case hasAdded:
		return "add"
	case hasRemoved:
		return "remove"
	}
	return ""
}

func isSubset(texts, others []string) bool {
	known := map[string]bool{}
	for _, text := range others {
		known[text] = true
	}
	return !slices.ContainsFunc(texts, func(text string) bool { return !known[text] })
}
