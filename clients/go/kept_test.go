package sabika

import (
	"encoding/json"
	"strings"
	"testing"
)

type reserveVectors struct {
	Keys            map[string]json.RawMessage
	AttestationKeys map[string]json.RawMessage `json:"attestation_keys"`
	Openings, Texts map[string]string
	Reserves        []struct {
		Name, Text                                         string
		Hash, Signature, Keys, Attestation, Previous, Mine *string
		AttestationKeys                                    *string `json:"attestation_keys"`
		Openings, Faults                                   []string
	}
}

type countVectors struct {
	Keys   map[string]json.RawMessage
	Counts []struct {
		Name, JWS, Keys string
		Count           *string
		Faults          []string
	}
}

// named returns the value of a name, or nil.
func named[T ~string | ~[]byte](values map[string]T, name *string) []byte {
	if name == nil {
		return nil
	}
	return []byte(values[*name])
}

func TestReservesAreJudgedAsInTheVectors(t *testing.T) {
	var file reserveVectors
	readVectors(t, "reserve.json", &file)
	for _, vector := range file.Reserves {
		t.Run(vector.Name, func(t *testing.T) {
			input := ReserveToVerify{
				Text: []byte(file.Texts[vector.Text]), Hash: vector.Hash, Signature: vector.Signature,
				Keys: named(file.Keys, vector.Keys), Attestation: vector.Attestation,
				AttestationKeys: named(file.AttestationKeys, vector.AttestationKeys), Previous: named(file.Texts, vector.Previous),
				Mine: named(file.Openings, vector.Mine),
			}
			if vector.Openings != nil {
				input.Openings = []byte{}
				for _, name := range vector.Openings {
					input.Openings = append(input.Openings, file.Openings[name]+"\n"...)
				}
			}
			verified, err := VerifyReserve(input)
			equal(t, err, nil)
			equal(t, strings.Join(verified.Faults, " "), strings.Join(vector.Faults, " "))
			equal(t, verified.OK(), len(vector.Faults) == 0)
		})
	}
}

func TestReservesHaveExactValues(t *testing.T) {
	var file reserveVectors
	readVectors(t, "reserve.json", &file)
	verified, err := VerifyReserve(ReserveToVerify{Text: []byte(file.Texts["reserve"])})
	equal(t, err, nil)
	equal(t, verified.Reserve.Obligations, SAR(123475))
	equal(t, verified.Reserve.Pools[0].Fine, Grams(14_626_545_860))
}

func TestKeysOrOpeningsOfAnotherFormAreAnError(t *testing.T) {
	var reserves reserveVectors
	readVectors(t, "reserve.json", &reserves)
	text, mine, wrong := []byte(reserves.Texts["reserve"]), []byte(reserves.Openings["mine"]), []byte("{}")
	for _, input := range []ReserveToVerify{
		{Text: text, Keys: wrong}, {Text: text, AttestationKeys: wrong}, {Text: text, Mine: wrong}, {Text: text, Openings: append(mine, "\n{}"...)},
	} {
		_, err := VerifyReserve(input)
		equal(t, err != nil, true)
	}
	var counts countVectors
	readVectors(t, "count.json", &counts)
	// Keys of receipts have no role.
	_, err := VerifyCount(CountToVerify{JWS: counts.Counts[0].JWS, Keys: reserves.Keys["published"]})
	equal(t, err != nil, true)
}

func TestCountsAreJudgedAsInTheVectors(t *testing.T) {
	var file countVectors
	readVectors(t, "count.json", &file)
	for _, vector := range file.Counts {
		t.Run(vector.Name, func(t *testing.T) {
			input := CountToVerify{JWS: vector.JWS, Keys: file.Keys[vector.Keys]}
			if vector.Count != nil {
				input.Count = []byte(*vector.Count)
			}
			verified, err := VerifyCount(input)
			equal(t, err, nil)
			equal(t, strings.Join(verified.Faults, " "), strings.Join(vector.Faults, " "))
			equal(t, verified.OK(), len(vector.Faults) == 0)
		})
	}
	verified, err := VerifyCount(CountToVerify{JWS: file.Counts[0].JWS, Keys: file.Keys["published"]})
	equal(t, err, nil)
	equal(t, strings.Join(verified.Count.Missing, " "), "B-2")
	equal(t, verified.Holder, "Gulf Inspection")
}

func TestVersionsAreJudgedAsInTheVectors(t *testing.T) {
	var file struct {
		Texts  map[string]string
		Chains []struct {
			Name          string
			Texts, Faults []string
			Hashes        map[int64]string
			At            *int
		}
	}
	readVectors(t, "versions.json", &file)
	for _, vector := range file.Chains {
		t.Run(vector.Name, func(t *testing.T) {
			var texts [][]byte
			for _, name := range vector.Texts {
				texts = append(texts, []byte(file.Texts[name]))
			}
			verified := VerifyVersions(texts, vector.Hashes)
			equal(t, strings.Join(verified.Faults, " "), strings.Join(vector.Faults, " "))
			equal(t, verified.OK(), len(vector.Faults) == 0)
			at := -1
			if vector.At != nil {
				at = *vector.At
			}
			equal(t, verified.At, at)
		})
	}
}
