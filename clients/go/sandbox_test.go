package sabika

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// openSandboxKit opens the kit of a partner of a running sandbox: SABIKA_KIT, as npm run clients sets it.
func openSandboxKit(t *testing.T) *Kit {
	t.Helper()
	folder := os.Getenv("SABIKA_KIT")
	if folder == "" {
		t.Skip("SABIKA_KIT names no kit of a running sandbox")
	}
	kit, err := OpenKit(folder)
	if err != nil {
		t.Fatal(err)
	}
	return kit
}

// sandboxClient opens a client that must not wait, unless the options say how.
func sandboxClient(t *testing.T, kit *Kit, options Options) *Client {
	t.Helper()
	if options.Sleep == nil {
		options.Sleep = func(context.Context, time.Duration) error {
			t.Error("it waited")
			return nil
		}
	}
	client := NewClient(kit, options)
	t.Cleanup(client.Close)
	return client
}

// must fails the test when a call has failed.
func must[T any](value T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// refusalOf returns the *Error of a refused call.
func refusalOf(t *testing.T, err error) *Error {
	t.Helper()
	var refused *Error
	if !errors.As(err, &refused) {
		t.Fatalf("it was not refused: %v", err)
	}
	return refused
}

// answering sends a request over the real connection, loses its answer, or answers instead.
type answering func(request *http.Request, real http.RoundTripper) (*http.Response, error)

// interposed is the real connection with a function that can disturb it.
type interposed struct {
	real     http.RoundTripper
	answer   answering
	requests []*http.Request
}

func interpose(kit *Kit, answer answering) *interposed {
	return &interposed{real: &http.Transport{TLSClientConfig: kit.TLSConfig()}, answer: answer}
}

func (i *interposed) RoundTrip(request *http.Request) (*http.Response, error) {
	i.requests = append(i.requests, request)
	return i.answer(request, i.real)
}

func answerOf(status int, header http.Header, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)),
	}
}

func TestAnOrderWhoseAnswerIsLostIsRepeatedAndExecutedOnce(t *testing.T) {
	kit := openSandboxKit(t)
	var lost Order
	transport := interpose(kit, func(request *http.Request, real http.RoundTripper) (*http.Response, error) {
		response, err := real.RoundTrip(request)
		if err != nil || request.URL.Path != "/v1/orders" || lost.ID != "" {
			return response, err
		}
		defer response.Body.Close()
		equal(t, response.StatusCode, 201)
		equal(t, json.NewDecoder(response.Body).Decode(&lost), nil)
		return nil, io.ErrUnexpectedEOF
	})
	pauses := 0
	client := sandboxClient(t, kit, Options{
		Transport: transport,
		Sleep: func(context.Context, time.Duration) error {
			pauses++
			return nil
		},
	})
	ctx := t.Context()
	equal(t, must(client.Health(ctx))(t).Environment, "sandbox")
	must(client.Fund(ctx, FundRequest{Amount: 5000_00}))(t)
	before := must(client.Balances(ctx))(t)
	quote := must(client.Quote(ctx, QuoteRequest{Side: Buy, Gold: 1_500_000}))(t)
	trade := randomHex()
	order := must(client.Order(ctx, OrderRequest{
		QuoteID: quote.ID, ClientReference: trade, IdempotencyKey: trade,
	}))(t)
	after := must(client.Balances(ctx))(t)
	equal(t, pauses, 1)
	equal(t, order.ID, lost.ID)
	equal(t, order.Total, quote.Total)
	equal(t, before.SAR-after.SAR, quote.Total)
	equal(t, after.Gold-before.Gold, 1_500_000)
	equal(t, must(client.FindOrder(ctx, trade))(t).ID, order.ID)
	var orders []http.Header
	for _, request := range transport.requests {
		if request.Method == "POST" && request.URL.Path == "/v1/orders" {
			orders = append(orders, request.Header)
			if request.GetBody != nil {
				t.Error("net/http could send the same signed bytes again by itself")
			}
		}
	}
	equal(t, len(orders), 2)
	equal(t, orders[0].Get("Idempotency-Key"), orders[1].Get("Idempotency-Key"))
	for _, name := range []string{"X-Nonce", "X-JWS-Signature"} {
		if orders[0].Get(name) == orders[1].Get(name) {
			t.Errorf("%s is the same twice", name)
		}
	}
}

func TestACallIsRepeatedAfterThePauseThatTheServiceRequested(t *testing.T) {
	kit := openSandboxKit(t)
	answers := []*http.Response{
		answerOf(503, http.Header{"Retry-After": {"2"}}, "<html>busy</html>"),
		answerOf(502, http.Header{}, ""),
	}
	var pauses []time.Duration
	client := sandboxClient(t, kit, Options{
		Transport: interpose(kit, func(request *http.Request, real http.RoundTripper) (*http.Response, error) {
			if request.Method == "POST" || len(answers) == 0 {
				return real.RoundTrip(request)
			}
			answer := answers[0]
			answers = answers[1:]
			return answer, nil
		}),
		Sleep: func(_ context.Context, pause time.Duration) error {
			pauses = append(pauses, pause)
			return nil
		},
	})
	prices := must(client.Prices(t.Context()))(t)
	equal(t, prices.Mid > 0, true)
	equal(t, len(pauses), 2)
	equal(t, pauses[0], 2*time.Second)
	equal(t, pauses[1] >= 200*time.Millisecond && pauses[1] <= 400*time.Millisecond, true)
}

func TestARefusedRepeatLeavesTheOutcomeUnknown(t *testing.T) {
	kit := openSandboxKit(t)
	attempts := 0
	// losesFirst opens a client whose first request to a path is lost; repeats simulate the failure, if any.
	losesFirst := func(path, failure string) *Client {
		attempts = 0
		answer := func(request *http.Request, real http.RoundTripper) (*http.Response, error) {
			if request.URL.Path != path {
				return real.RoundTrip(request)
			}
			attempts++
			if attempts == 1 {
				return nil, io.ErrUnexpectedEOF
			}
			request = request.Clone(request.Context())
			if failure != "" {
				request.Header.Set("Sabika-Simulate", failure)
			}
			return real.RoundTrip(request)
		}
		return sandboxClient(t, kit, Options{
			Transport: interpose(kit, answer),
			Sleep:     func(context.Context, time.Duration) error { return nil },
		})
	}
	_, err := losesFirst("/sandbox/fund", "service_unavailable").Fund(t.Context(), FundRequest{Amount: 1_00})
	refused := refusalOf(t, err)
	equal(t, attempts, 6)
	equal(t, refused.Code, "outcome_unknown")
	equal(t, refused.Status, 503)
	equal(t, refused.Retryable && refused.IdempotencyKey != "", true)
	_, err = losesFirst("/v1/withdrawals", "").Withdraw(
		t.Context(), WithdrawalRequest{Amount: 9_999_999_999_00},
	)
	refused = refusalOf(t, err)
	equal(t, refused.Code, "outcome_unknown")
	equal(t, refusalOf(t, errors.Unwrap(refused)).Code, "insufficient_funds")
}

func TestACallFailsIfTheRequestedPauseIsTooLong(t *testing.T) {
	kit := openSandboxKit(t)
	client := sandboxClient(t, kit, Options{
		Transport: interpose(kit, func(request *http.Request, real http.RoundTripper) (*http.Response, error) {
			if request.Method == "POST" {
				return real.RoundTrip(request)
			}
			return answerOf(429, http.Header{"Retry-After": {"60"}}, ""), nil
		}),
	})
	_, err := client.Prices(t.Context())
	refused := refusalOf(t, err)
	equal(t, refused.Status, 429)
	equal(t, refused.RetryAfter, time.Minute)
}

func TestAKeyThatIsUsedForSomethingElseIsAConflict(t *testing.T) {
	client := sandboxClient(t, openSandboxKit(t), Options{})
	key := randomHex()
	request := QuoteRequest{Side: Buy, Gold: 1_000_000, IdempotencyKey: key}
	first := must(client.Quote(t.Context(), request))(t)
	again := must(client.Quote(t.Context(), request))(t)
	equal(t, again.ID, first.ID)
	request.Gold = 2_000_000
	money := must(client.Quote(t.Context(), QuoteRequest{Side: Buy, Amount: 50_000}))(t)
	equal(t, money.Requested.Amount, 50_000)
	if money.Total > 50_000 || money.Total <= 49_990 {
		t.Errorf("a quote for 500 riyals costs %s", money.Total)
	}
	_, err := client.Quote(t.Context(), request)
	refused := refusalOf(t, err)
	equal(t, refused.Code, "idempotency_key_conflict")
	equal(t, refused.Meta["resource_id"], any(first.ID))
	equal(t, refused.RequestID != "", true)
	equal(t, refused.IdempotencyKey, key)
}

func TestARefusalSaysInExactNumbersWhatIsMissing(t *testing.T) {
	client := sandboxClient(t, openSandboxKit(t), Options{})
	balances := must(client.Balances(t.Context()))(t)
	gold := max(balances.Gold+100, 10_000)
	quote := must(client.Quote(t.Context(), QuoteRequest{Side: Sell, Gold: gold}))(t)
	_, err := client.Order(t.Context(), OrderRequest{QuoteID: quote.ID})
	refused := refusalOf(t, err)
	equal(t, refused.Code, "insufficient_gold")
	needed, _ := refused.Meta["needed"].(json.Number)
	parsed := must(ParseGrams(needed.String()))(t)
	equal(t, parsed, gold)
}

func TestARefusedTokenIsReplaced(t *testing.T) {
	client := sandboxClient(t, openSandboxKit(t), Options{})
	connection := client.current.Load()
	connection.token, connection.tokenEnds = "not.a.token", time.Now().Add(time.Hour)
	must(client.Balances(t.Context()))(t)
}

func TestAClockThatIsOffIsCorrectedByTheService(t *testing.T) {
	kit := openSandboxKit(t)
	client := sandboxClient(t, kit, Options{Now: func() time.Time { return time.Now().Add(time.Hour) }})
	for _, body := range []any{struct{}{}, map[string]string{"note": "سبيكة <&>"}} {
		probe := must(client.Probe(t.Context(), body))(t)
		equal(t, probe.Verified, true)
		equal(t, probe.KeyID, kit.SigningKeyID)
	}
}

func TestAWithdrawalIsSignedAndCarriedOutOnce(t *testing.T) {
	client := sandboxClient(t, openSandboxKit(t), Options{})
	must(client.Fund(t.Context(), FundRequest{Amount: 100_00}))(t)
	request := WithdrawalRequest{Amount: 12_34, ClientReference: "w", IdempotencyKey: randomHex()}
	first := must(client.Withdraw(t.Context(), request))(t)
	equal(t, must(client.Withdraw(t.Context(), request))(t), first)
	equal(t, first.Amount, 12_34)
	equal(t, must(client.CancelWithdrawal(t.Context(), first.ID, ""))(t).Status, "cancelled")
}

func TestACallEndsWithItsContext(t *testing.T) {
	client := sandboxClient(t, openSandboxKit(t), Options{})
	must(client.Balances(t.Context()))(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := client.Balances(ctx)
	equal(t, errors.Is(err, context.Canceled), true)
}
