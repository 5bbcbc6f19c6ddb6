// Package operations calls every operation of the API, for tests with keys that are kept in different ways.
package operations

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"os"
	"regexp"
	"testing"
	"time"

	sabika "sabika.example/go"
)

// recorded is the real connection, which records requests.
type recorded struct {
	real     http.RoundTripper
	requests []*http.Request
}

func (r *recorded) RoundTrip(request *http.Request) (*http.Response, error) {
	r.requests = append(r.requests, request)
	return r.real.RoundTrip(request)
}

// wasCalled returns whether a request was for the operation.
func (r *recorded) wasCalled(method, path string) bool {
	pattern := regexp.MustCompile(path)
	for _, request := range r.requests {
		if request.Method == method && pattern.MatchString(request.URL.Path) {
			return true
		}
	}
	return false
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

func equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func signingRequest(t *testing.T, kit *sabika.Kit) string {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	subject := pkix.Name{Organization: []string{"Demo Bank"}, CommonName: kit.ClientID}
	request := must(x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: subject}, key))(t)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: request}))
}

// CallEach calls each operation of a file like docs/vectors/operations.json. The kit is of a partner of a running
// sandbox, which has the reserve of a day.
func CallEach(t *testing.T, file string, kit *sabika.Kit, reserveDay string) {
	t.Helper()
	transport := &recorded{real: &http.Transport{TLSClientConfig: kit.TLSConfig()}}
	client := sabika.NewClient(kit, sabika.Options{
		Transport: transport,
		Sleep: func(context.Context, time.Duration) error {
			t.Error("it waited")
			return nil
		},
	})
	defer client.Close()
	ctx := t.Context()
	must(client.Fund(ctx, sabika.FundRequest{Amount: 1000_00}))(t)
	scenario := sabika.ScenarioRequest{Funding: &sabika.FundingScenario{Amount: 100_50, Comes: "later"}}
	equal(t, must(client.Scenario(ctx, scenario))(t).Kind, "funding")
	quote := must(client.Quote(ctx, sabika.QuoteRequest{Side: sabika.Buy, Gold: 1_000_000}))(t)
	order := must(client.Order(ctx, sabika.OrderRequest{QuoteID: quote.ID}))(t)
	withdrawal := must(client.Withdraw(ctx, sabika.WithdrawalRequest{Amount: 1_00}))(t)
	must(client.CancelWithdrawal(ctx, withdrawal.ID, ""))(t)
	// The sandbox issues at once; elsewhere an operator does, and one request may wait.
	_, err := client.RequestCertificate(
		ctx, sabika.CredentialRequest{CSR: signingRequest(t, kit), OverlapSeconds: 86_400},
	)
	equal(t, err == nil || errors.Is(err, sabika.ErrCredentialRequestPending), true)
	_, err = client.RequestSigningKey(ctx, sabika.CredentialRequest{CSR: signingRequest(t, kit)})
	equal(t, err == nil || errors.Is(err, sabika.ErrCredentialRequestPending), true)
	last := must(client.ListRequestedCredentials(sabika.ListFilter{Limit: 2}).Page(ctx, ""))(t).Data[0]
	equal(t, must(client.GetRequestedCredential(ctx, last.ID))(t).KeyID, last.KeyID)
	var event sabika.Event
	for streamed, err := range client.StreamEvents(ctx, 0) {
		event = must(streamed, err)(t)
		break
	}
	equal(t, event.Sequence, 1)
	equal(t, event.Delivery == nil, true)

	must(client.Health(ctx))(t)
	must(client.Prices(ctx))(t)
	since := time.Now().Add(-time.Hour)
	must(client.PriceHistory(ctx, sabika.HistoryQuery{From: since, Interval: "1m"}))(t)
	must(client.Balances(ctx))(t)
	must(client.Vault(ctx))(t)
	must(client.VaultVersion(ctx, 1))(t)
	must(client.Receipt(ctx, order.ID))(t)
	must(client.ReceiptKeys(ctx))(t)
	must(client.AttestationKeys(ctx))(t)
	must(client.Reserve(ctx, reserveDay))(t)
	must(client.ReserveOpening(ctx, reserveDay))(t)
	equal(t, must(client.GetQuote(ctx, quote.ID))(t).OrderID, order.ID)
	equal(t, must(client.GetOrder(ctx, order.ID))(t).Total, order.Total)
	equal(t, len(must(client.GetOrderEvidence(ctx, order.ID))(t).Requests), 1)
	equal(t, must(client.GetWithdrawal(ctx, withdrawal.ID))(t).Status, "cancelled")
	equal(t, len(must(client.GetWithdrawalEvidence(ctx, withdrawal.ID))(t).Requests), 2)
	must(client.ListQuotes(sabika.ListFilter{Status: "executed"}).Page(ctx, ""))(t)
	must(client.ListOrders(sabika.ListFilter{CreatedFrom: since}).Page(ctx, ""))(t)
	must(client.ListWithdrawals(sabika.ListFilter{Limit: 1}).Page(ctx, ""))(t)
	must(client.ListLedgerEntries(sabika.EntryFilter{}).Page(ctx, ""))(t)
	must(client.GetEvent(ctx, event.ID))(t)
	must(client.Events(sabika.EventFilter{}).Page(ctx, ""))(t)
	must(client.DeliveryAttempts(event.ID, sabika.PageFilter{}).Page(ctx, ""))(t)
	today := time.Now().In(time.FixedZone("Riyadh", 3*60*60)).Format(time.DateOnly)
	entries := must(client.Statement(ctx, today))(t).Entries
	equal(t, entries[0].Amount > 0, true)
	must(client.StatementCSV(ctx, today))(t)
	must(client.Me(ctx))(t)
	equal(t, must(client.Limits(ctx))(t).Quote.ValidForSeconds, 60)
	must(client.Redeliver(ctx, event.ID, ""))(t)
	must(client.RedeliverRange(ctx, sabika.RedeliveryRequest{FromSequence: 1, ToSequence: 1}))(t)
	must(client.EnableWebhook(ctx, ""))(t)
	must(client.Probe(ctx, struct{}{}))(t)

	var listed struct {
		Operations []struct{ ID, Method, Path string }
	}
	if err := json.Unmarshal(must(os.ReadFile(file))(t), &listed); err != nil {
		t.Fatal(err)
	}
	for _, operation := range listed.Operations {
		if !transport.wasCalled(operation.Method, operation.Path) {
			t.Errorf("%s is not called", operation.ID)
		}
	}
}
