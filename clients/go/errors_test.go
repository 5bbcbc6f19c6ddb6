package sabika

import (
	"net/http"
	"testing"
)

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
