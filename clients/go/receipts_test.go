package sabika

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

type receiptVectors struct {
	Keys, Orders map[string]json.RawMessage
	Bars         map[string]struct{ Text, SHA256 string }
	Requests     map[string]struct {
		URL, Body, Nonce, SHA256 string
		Timestamp                int64
	}
	Receipts []struct {
		Name, JWS, Keys      string
		Bars, Order, Request *string
		Holds, Faults        []string
	}
}

func readReceiptVectors(t *testing.T) receiptVectors {
	t.Helper()
	var file receiptVectors
	readVectors(t, "receipt.json", &file)
	return file
}

func (f receiptVectors) signed(t *testing.T, name string) string {
	t.Helper()
	request := f.Requests[name]
	timestamp := strconv.FormatInt(request.Timestamp, 10)
	canonical, err := SignedRequest{
		"POST", request.URL, []byte(request.Body), timestamp, request.Nonce,
	}.CanonicalString()
	equal(t, err, nil)
	return canonical
}

func TestReceiptsAreJudgedAsInTheVectors(t *testing.T) {
	file := readReceiptVectors(t)
	for _, vector := range file.Receipts {
		t.Run(vector.Name, func(t *testing.T) {
			input := ReceiptToVerify{JWS: vector.JWS, Keys: file.Keys[vector.Keys]}
			if vector.Bars != nil {
				input.Bars = []byte(file.Bars[*vector.Bars].Text)
			}
			if vector.Order != nil {
				input.Order = file.Orders[*vector.Order]
			}
			if vector.Request != nil {
				input.Signed = file.signed(t, *vector.Request)
			}
			verified, err := VerifyReceipt(input)
			equal(t, err, nil)
			equal(t, strings.Join(verified.Holds, " "), strings.Join(vector.Holds, " "))
			equal(t, strings.Join(verified.Faults, " "), strings.Join(vector.Faults, " "))
			equal(t, verified.OK(), len(vector.Faults) == 0)
		})
	}
}

func TestBarsAndRequestsHaveTheHashesOfTheVectors(t *testing.T) {
	file := readReceiptVectors(t)
	hexOf := func(text string) string {
		hash := sha256.Sum256([]byte(text))
		return hex.EncodeToString(hash[:])
	}
	for _, bars := range file.Bars {
		equal(t, hexOf(bars.Text), bars.SHA256)
	}
	for name, request := range file.Requests {
		equal(t, hexOf(file.signed(t, name)), request.SHA256)
	}
}

func TestReceiptsHaveExactValues(t *testing.T) {
	file := readReceiptVectors(t)
	verified, err := VerifyReceipt(ReceiptToVerify{JWS: file.Receipts[0].JWS, Keys: file.Keys["published"]})
	equal(t, err, nil)
	equal(t, verified.Receipt.Gold, Grams(1_500_000))
	equal(t, verified.Receipt.Total, SAR(73527))
	equal(t, verified.Receipt.Count.By, "inspector-1")
}

func TestKeysOrAnOrderOfAnotherFormAreAnError(t *testing.T) {
	file := readReceiptVectors(t)
	good := ReceiptToVerify{JWS: file.Receipts[0].JWS, Keys: file.Keys["published"]}
	for _, keys := range []string{"", "{}", `{"keys": [{}]}`, `{"keys": [], "keys": []}`} {
		wrong := good
		wrong.Keys = []byte(keys)
		_, err := VerifyReceipt(wrong)
		equal(t, err != nil, true)
	}
	good.Order = []byte("{}")
	_, err := VerifyReceipt(good)
	equal(t, err != nil, true)
}
