package sabika

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// tokenAnswer is an answer of the token endpoint.
func tokenAnswer() *http.Response {
	return answerOf(200, http.Header{}, `{"access_token":"secret","expires_in":600}`)
}

func TestAnOrderWhoseRepeatGetsNoTokenHasAnOpenOutcome(t *testing.T) {
	kit := openSandboxKit(t)
	for _, refused := range []struct {
		code   string
		answer func() (*http.Response, error)
	}{
		{"temporarily_unavailable", func() (*http.Response, error) {
			return answerOf(503, http.Header{}, `{"error":"temporarily_unavailable"}`), nil
		}},
		{"unauthorized_client", func() (*http.Response, error) {
			return answerOf(400, http.Header{}, `{"error":"unauthorized_client"}`), nil
		}},
		{"unexpected_answer", func() (*http.Response, error) {
			return answerOf(502, http.Header{}, "<html>Bad gateway</html>"), nil
		}},
		{"connection_failed", func() (*http.Response, error) { return nil, io.ErrUnexpectedEOF }},
	} {
		for _, isLate := range []bool{true, false} {
			now, tokens, orders := time.Now(), 0, 0
			key := ""
			client := NewClient(kit, Options{
				Now:   func() time.Time { return now },
				Sleep: func(context.Context, time.Duration) error { return nil },
				Transport: interpose(kit, func(request *http.Request, _ http.RoundTripper) (*http.Response, error) {
					if request.URL.Path == "/oauth/token" {
						tokens++
						if tokens == 1 {
							return tokenAnswer(), nil
						}
						return refused.answer()
					}
					orders++
					if orders > 1 {
						return answerOf(401, http.Header{}, `{"code":"token_expired"}`), nil
					}
					key = request.Header.Get("Idempotency-Key")
					if isLate {
						now = now.Add(10 * time.Minute)
					}
					return nil, io.ErrUnexpectedEOF
				}),
			})
			_, err := client.Order(t.Context(), OrderRequest{QuoteID: "qt_1"})
			failure := refusalOf(t, err)
			equal(t, failure.Code, "outcome_unknown")
			equal(t, failure.Retryable && key != "", true)
			equal(t, failure.IdempotencyKey, key)
			equal(t, orders == 1, isLate)
			var cause *Error
			equal(t, errors.As(errors.Unwrap(err), &cause) && cause.Code == refused.code, true)
		}
	}
}

func TestAnOrderThatGetsNoTokenAtAllWasRefused(t *testing.T) {
	kit := openSandboxKit(t)
	client := NewClient(kit, Options{
		Transport: interpose(kit, func(*http.Request, http.RoundTripper) (*http.Response, error) {
			return answerOf(400, http.Header{}, `{"error":"unauthorized_client"}`), nil
		}),
	})
	_, err := client.Order(t.Context(), OrderRequest{QuoteID: "qt_1"})
	equal(t, refusalOf(t, err).Code, "unauthorized_client")
}

func TestAnAnswerThatStopsInItsBodyTimesOut(t *testing.T) {
	kit := *openSandboxKit(t)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.URL.Path == "/oauth/token" {
			io.Copy(w, tokenAnswer().Body)
			return
		}
		w.Header().Set("Content-Length", "100")
		w.WriteHeader(http.StatusCreated)
		w.(http.Flusher).Flush()
		<-request.Context().Done()
	}))
	defer service.Close()
	kit.BaseURL = service.URL
	client := NewClient(&kit, Options{
		Timeout:   200 * time.Millisecond,
		Retry:     Retry{Attempts: 1},
		Transport: http.DefaultTransport,
	})
	_, err := client.Quote(t.Context(), QuoteRequest{Side: Buy, Gold: 1_000_000})
	failure := refusalOf(t, err)
	equal(t, failure.Code, "request_timed_out")
	equal(t, failure.Retryable && failure.IdempotencyKey != "", true)
}
