package sabika

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
)

// fuzzTarget is an input, and what accepts it; another may be accepted only if it says the same.
type fuzzTarget struct {
	name, good string
	accepts    func(input []byte) bool
}

var fuzzWords = []string{
	`"`, "{", "}", "[", ",", ":", "0", "1e1", "-", ".", "=", "null", `"a":1,`, `\u0030`, `\ud800`, "\xff",
	"\xed\xa0\x80", "\n", string(bytes.Repeat([]byte("["), 2000)), "٠",
}

// mutate changes one to six places.
func mutate(good string, random *rand.Rand) []byte {
	data := []byte(good)
	for range 1 + random.IntN(6) {
		at := random.IntN(len(data) + 1)
		end := min(len(data), at+random.IntN(17))
		pieces := [][]byte{
			nil, []byte(fuzzWords[random.IntN(len(fuzzWords))]), slices.Concat(data[at:end], data[at:end]),
			{byte(random.IntN(256))},
		}
		data = slices.Concat(data[:at], pieces[random.IntN(len(pieces))], data[end:])
	}
	return data
}

// fuzzed judges mutations; FUZZ_CASES and FUZZ_SEED say how many and which.
func fuzzed(t *testing.T, target fuzzTarget, judge func(t *testing.T, input []byte, accepted bool)) {
	number := func(name string, otherwise uint64) uint64 {
		if value, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
			return value
		}
		return otherwise
	}
	t.Run(target.name, func(t *testing.T) {
		equal(t, target.accepts([]byte(target.good)), true)
		hash := fnv.New64()
		hash.Write([]byte(target.name))
		random := rand.New(rand.NewPCG(number("FUZZ_SEED", 1), hash.Sum64()))
		for range number("FUZZ_CASES", 300) {
			input := mutate(target.good, random)
			judge(t, input, target.accepts(input))
		}
	})
}

func TestNoMutationOfWhatIsSignedOrHashedIsAccepted(t *testing.T) {
	receipts := readReceiptVectors(t)
	keys, jws := receipts.Keys["published"], receipts.Receipts[0].JWS
	bars := func(input []byte) bool {
		verified, err := VerifyReceipt(ReceiptToVerify{JWS: jws, Keys: keys, Bars: input})
		return err == nil && verified.OK()
	}
	kept := attestedReserve(t)
	reserve := func(change func(*ReserveToVerify, []byte)) func([]byte) bool {
		return func(input []byte) bool {
			changed := kept
			change(&changed, input)
			verified, err := VerifyReserve(changed)
			return err == nil && verified.OK()
		}
	}
	var counts countVectors
	readVectors(t, "count.json", &counts)
	var versions struct{ Texts map[string]string }
	readVectors(t, "versions.json", &versions)
	targets := []fuzzTarget{
		{"receipt", jws, func(input []byte) bool {
			verified, err := VerifyReceipt(ReceiptToVerify{
				JWS: string(input), Keys: keys, Order: receipts.Orders["answered"],
			})
			return err == nil && verified.OK()
		}},
		{"bars", receipts.Bars["version"].Text, bars},
		{"count", counts.Counts[0].JWS, func(input []byte) bool {
			verified, err := VerifyCount(CountToVerify{JWS: string(input), Keys: counts.Keys["published"]})
			return err == nil && verified.OK()
		}},
		{"reserve", string(kept.Text), reserve(func(r *ReserveToVerify, input []byte) { r.Text = input })},
		{"signature", *kept.Signature, reserve(func(r *ReserveToVerify, input []byte) {
			text := string(input)
			r.Signature = &text
		})},
		{"attestation", *kept.Attestation, reserve(func(r *ReserveToVerify, input []byte) {
			text := string(input)
			r.Attestation = &text
		})},
		{"version", versions.Texts["first"], func(input []byte) bool {
			return VerifyVersions([][]byte{input, []byte(versions.Texts["second"])}, nil).OK()
		}},
	}
	for _, target := range targets {
		fuzzed(t, target, func(t *testing.T, input []byte, accepted bool) {
			if accepted && string(input) != target.good {
				t.Errorf("accepted: %q", input)
			}
		})
	}
}

// attestedReserve returns a reserve with all that its reader has kept.
func attestedReserve(t *testing.T) ReserveToVerify {
	t.Helper()
	var file reserveVectors
	readVectors(t, "reserve.json", &file)
	for _, vector := range file.Reserves {
		if vector.Name == "attested" {
			return ReserveToVerify{
				Text: []byte(file.Texts[vector.Text]), Hash: vector.Hash, Signature: vector.Signature,
				Keys: file.Keys["published"], Attestation: vector.Attestation,
				AttestationKeys: file.AttestationKeys["published"], Mine: []byte(file.Openings["mine"]),
			}
		}
	}
	t.Fatal("no vector is attested")
	return ReserveToVerify{}
}

// Of what is kept another text may say the same; no text is a surprise.
func TestAMutationOfWhatIsKeptIsReadOrIsAnError(t *testing.T) {
	receipts := readReceiptVectors(t)
	keys, jws := receipts.Keys["published"], receipts.Receipts[0].JWS
	kept := attestedReserve(t)
	var counts countVectors
	readVectors(t, "count.json", &counts)
	receipt := func(keys, order json.RawMessage) bool {
		verified, err := VerifyReceipt(ReceiptToVerify{JWS: jws, Keys: keys, Order: order})
		return err == nil && verified.OK()
	}
	targets := []fuzzTarget{
		{"mine", string(kept.Mine), func(input []byte) bool {
			verified, err := VerifyReserve(ReserveToVerify{Text: kept.Text, Mine: input})
			return err == nil && verified.OK()
		}},
		{"order", string(receipts.Orders["answered"]), func(input []byte) bool { return receipt(keys, input) }},
		{"keys", string(keys), func(input []byte) bool { return receipt(input, nil) }},
		{"inspectors", string(counts.Keys["published"]), func(input []byte) bool {
			verified, err := VerifyCount(CountToVerify{JWS: counts.Counts[0].JWS, Keys: input})
			return err == nil && verified.OK()
		}},
		{"any reserve", string(kept.Text), func(input []byte) bool {
			verified, err := VerifyReserve(ReserveToVerify{Text: input})
			return err == nil && verified.OK()
		}},
		{"any version", receipts.Bars["version"].Text, func(input []byte) bool {
			return VerifyVersions([][]byte{input}, nil).OK()
		}},
	}
	for _, target := range targets {
		fuzzed(t, target, func(*testing.T, []byte, bool) {})
	}
}
