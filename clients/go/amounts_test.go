package sabika

import (
	"encoding/json"
	"errors"
	"strconv"
	"testing"
)

func TestAmountsAreReadAndWrittenAsInTheVectors(t *testing.T) {
	type kind struct {
		Kind            string
		Decimals, Scale int
	}
	var file struct {
		Kinds                      []kind
		Accepted, Refused, Written []struct {
			Kind, Text, Value string
			Refusal           *string
		}
	}
	readVectors(t, "numbers.json", &file)
	kinds := map[string]kind{}
	for _, entry := range file.Kinds {
		kinds[entry.Kind] = entry
	}
	for _, vector := range file.Accepted {
		t.Run(vector.Kind+" "+vector.Text, func(t *testing.T) {
			value, err := parseDecimal(vector.Text, kinds[vector.Kind].Decimals, kinds[vector.Kind].Scale)
			equal(t, err, nil)
			equal(t, strconv.FormatInt(value, 10), vector.Value)
		})
	}
	for _, vector := range file.Refused {
		t.Run(vector.Kind+" refused "+strconv.Quote(vector.Text), func(t *testing.T) {
			_, err := parseDecimal(vector.Text, kinds[vector.Kind].Decimals, kinds[vector.Kind].Scale)
			equalRefusal(t, textOf(err), vector.Refusal)
		})
	}
	for _, vector := range file.Written {
		t.Run(vector.Kind+" written "+vector.Text, func(t *testing.T) {
			value, err := strconv.ParseInt(vector.Value, 10, 64)
			equal(t, err, nil)
			equal(t, formatDecimal(value, kinds[vector.Kind].Scale), vector.Text)
		})
	}
}

func TestAmountsKeepTheirValueInJSON(t *testing.T) {
	var amounts struct {
		SAR   SAR
		Grams Grams
		Price Price
	}
	const text = `{"SAR":4.35,"Grams":1.5,"Price":412.3456}`
	equal(t, json.Unmarshal([]byte(text), &amounts), nil)
	equal(t, amounts.SAR, 435)
	equal(t, amounts.Grams, 1_500_000)
	equal(t, amounts.Price, 4_123_456)
	written, err := json.Marshal(amounts)
	equal(t, err, nil)
	equal(t, string(written), text)
	for _, wrong := range []string{`{"SAR":"4.35"}`, `{"SAR":1e2}`, `{"Grams":0.00001}`} {
		if json.Unmarshal([]byte(wrong), &amounts) == nil {
			t.Errorf("%s was accepted", wrong)
		}
	}
	if _, err := json.Marshal(Grams(1)); !errors.Is(err, ErrTooPrecise) {
		t.Errorf("Marshal(Grams(1)) = %v, want ErrTooPrecise", err)
	}
}

func TestARateAndAnAmountAreExact(t *testing.T) {
	var rate Rate
	equal(t, json.Unmarshal([]byte("0.15"), &rate), nil)
	equal(t, rate, 150_000)
	var amount Amount
	equal(t, json.Unmarshal([]byte("2.5001"), &amount), nil)
	equal(t, amount, 25_001)
	equal(t, amount.String(), "2.5001")
	equal(t, errors.Is(json.Unmarshal([]byte("2.50001"), &amount), ErrTooPrecise), true)
}
