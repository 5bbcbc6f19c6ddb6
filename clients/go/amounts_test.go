package sabika

import (
	"encoding/json"
	"errors"
	"net/http"
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
	for _, kind := range file.Kinds {
		kinds[kind.Kind] = kind
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
			t.Errorf("%s was read", wrong)
		}
	}
	if _, err := json.Marshal(Grams(1)); !errors.Is(err, ErrTooPrecise) {
		t.Errorf("a microgram was written: %v", err)
	}
}

func TestRefusalsAreReadAsInTheVectors(t *testing.T) {
	var file struct {
		Codes []struct {
			Code, Title, Body string
			Status            int
			Retryable         bool
		}
		Token []struct{ Code, Body string }
	}
	readVectors(t, "refusals.json", &file)
	for _, vector := range file.Codes {
		t.Run(vector.Code, func(t *testing.T) {
			failure := readRefusal(vector.Status, http.Header{}, []byte(vector.Body))
			equal(t, failure.Code, vector.Code)
			equal(t, failure.Status, vector.Status)
			equal(t, failure.Retryable, vector.Retryable)
			equal(t, failure.Title, vector.Title)
		})
	}
	for _, vector := range file.Token {
		t.Run("token "+vector.Code, func(t *testing.T) {
			failure := readRefusal(401, http.Header{}, []byte(vector.Body))
			equal(t, failure.Code, vector.Code)
			equal(t, failure.Retryable, false)
		})
	}
}
