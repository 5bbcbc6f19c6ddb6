package sabika

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"os"
	"regexp"
	"testing"
	"time"
)

// called returns whether a request was for the operation.
func called(requests []*http.Request, method, path string) bool {
	pattern := regexp.MustCompile(path)
	for _, request := range requests {
		if request.Method == method && pattern.MatchString(request.URL.Path) {
			return true
		}
	}
	return false
}

func signingRequest(t *testing.T, kit *Kit) string {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	subject := pkix.Name{Organization: []string{"Demo Bank"}, CommonName: kit.ClientID}
	request := must(x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: subject}, key))(t)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: request}))
}

func TestEveryOperationIsCalled(t *testing.T) {
	kit := openSandboxKit(t)
	reserveDay := os.Getenv("SABIKA_RESERVE_DAY")
	if reserveDay == "" {
		t.Skip("SABIKA_RESERVE_DAY names no day that has a reserve")
	}
	transport := interpose(kit, func(request *http.Request, real http.RoundTripper) (*http.Response, error) {
		return real.RoundTrip(request)
	})
	client := sandboxClient(t, kit, Options{Transport: transport})
	ctx := t.Context()
	must(client.Fund(ctx, FundRequest{Amount: 1000_00}))(t)
	scenario := ScenarioRequest{Funding: &FundingScenario{Amount: 100_50, Comes: "later"}}
	equal(t, must(client.Scenario(ctx, scenario))(t).Kind, "funding")
	quote := must(client.Quote(ctx, QuoteRequest{Side: Buy, Gold: 1_000_000}))(t)
	order := must(client.Order(ctx, OrderRequest{QuoteID: quote.ID}))(t)
	withdrawal := must(client.Withdraw(ctx, WithdrawalRequest{Amount: 1_00}))(t)
	must(client.CancelWithdrawal(ctx, withdrawal.ID, ""))(t)
	// The sandbox issues at once; elsewhere an operator does, and one request may wait.
	_, err := client.RequestCertificate(
		ctx, CredentialRequest{CSR: signingRequest(t, kit), OverlapSeconds: 86_400},
	)
	equal(t, err == nil || errors.Is(err, ErrCredentialRequestPending), true)
	_, err = client.RequestSigningKey(ctx, CredentialRequest{CSR: signingRequest(t, kit)})
	equal(t, err == nil || errors.Is(err, ErrCredentialRequestPending), true)
	last := must(client.ListRequestedCredentials(ListFilter{Limit: 2}).Page(ctx, ""))(t).Data[0]
	equal(t, must(client.GetRequestedCredential(ctx, last.ID))(t).KeyID, last.KeyID)
	var event Event
	for streamed, err := range client.StreamEvents(ctx, 0) {
		event = must(streamed, err)(t)
		break
	}
	equal(t, event.Sequence, 1)
	equal(t, event.Delivery == nil, true)

	must(client.Health(ctx))(t)
	must(client.Prices(ctx))(t)
	since := time.Now().Add(-time.Hour)
	must(client.PriceHistory(ctx, HistoryQuery{From: since, Interval: "1m"}))(t)
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
	must(client.ListQuotes(ListFilter{Status: "executed"}).Page(ctx, ""))(t)
	must(client.ListOrders(ListFilter{CreatedFrom: since}).Page(ctx, ""))(t)
	must(client.ListWithdrawals(ListFilter{Limit: 1}).Page(ctx, ""))(t)
	must(client.ListLedgerEntries(EntryFilter{}).Page(ctx, ""))(t)
	must(client.GetEvent(ctx, event.ID))(t)
	must(client.Events(EventFilter{}).Page(ctx, ""))(t)
	must(client.DeliveryAttempts(event.ID, PageFilter{}).Page(ctx, ""))(t)
	today := time.Now().In(time.FixedZone("Riyadh", 3*60*60)).Format(time.DateOnly)
	entries := must(client.Statement(ctx, today))(t).Entries
	equal(t, entries[0].Amount > 0, true)
	must(client.StatementCSV(ctx, today))(t)
	must(client.Me(ctx))(t)
	equal(t, must(client.Limits(ctx))(t).Quote.ValidForSeconds, 60)
	must(client.Redeliver(ctx, event.ID, ""))(t)
	must(client.RedeliverRange(ctx, RedeliveryRequest{FromSequence: 1, ToSequence: 1}))(t)
	must(client.EnableWebhook(ctx, ""))(t)
	must(client.Probe(ctx, struct{}{}))(t)

	var file struct {
		Operations []struct{ ID, Method, Path string }
	}
	readVectors(t, "operations.json", &file)
	for _, operation := range file.Operations {
		if !called(transport.requests, operation.Method, operation.Path) {
			t.Errorf("%s is not called", operation.ID)
		}
	}
}

func TestAListGoesThroughAllItsPages(t *testing.T) {
	client := sandboxClient(t, openSandboxKit(t), Options{})
	ctx := t.Context()
	for range 3 {
		must(client.Quote(ctx, QuoteRequest{Side: Buy, Gold: 1_000_000}))(t)
	}
	list := client.ListQuotes(ListFilter{Limit: 2})
	first := must(list.Page(ctx, ""))(t)
	second := must(list.Page(ctx, first.NextCursor))(t)
	equal(t, len(first.Data), 2)
	expected := append(first.Data, second.Data...)
	seen := map[string]bool{}
	for quote, err := range list.All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if at := len(seen); at < len(expected) {
			equal(t, quote.ID, expected[at].ID)
		}
		seen[quote.ID] = true
	}
	equal(t, len(seen) >= 3, true)
}

// breaking is the body of an answer, which breaks behind its first event.
type breaking struct {
	io.Closer
	rest io.Reader
}

func (b breaking) Read(buffer []byte) (int, error) { return b.rest.Read(buffer) }

func breakBehindEvent(body io.ReadCloser) io.ReadCloser {
	var first bytes.Buffer
	for lines := bufio.NewReader(body); !bytes.Contains(first.Bytes(), []byte("data:")); {
		line, err := lines.ReadBytes('\n')
		first.Write(line)
		if err != nil {
			return breaking{body, &first}
		}
	}
	first.WriteByte('\n')
	return breaking{body, &first}
}

func TestAStreamThatBreaksGoesOnBehindTheLastEvent(t *testing.T) {
	kit := openSandboxKit(t)
	pauses := 0
	client := sandboxClient(t, kit, Options{
		Transport: interpose(kit, func(request *http.Request, real http.RoundTripper) (*http.Response, error) {
			response, err := real.RoundTrip(request)
			if err == nil && request.URL.Path == "/v1/events/stream" {
				response.Body = breakBehindEvent(response.Body)
			}
			return response, err
		}),
		Sleep: func(context.Context, time.Duration) error {
			pauses++
			return nil
		},
	})
	ctx := t.Context()
	for range 2 {
		must(client.Fund(ctx, FundRequest{Amount: 1_00}))(t)
	}
	last := must(client.Events(EventFilter{Limit: 1}).Page(ctx, ""))(t).Data[0].Sequence
	next := last - 1
	for event, err := range client.StreamEvents(ctx, last-2) {
		equal(t, must(event, err)(t).Sequence, next)
		if next == last {
			break
		}
		next++
	}
	equal(t, pauses, 1)
}

func TestARefusalIsFoundByItsCode(t *testing.T) {
	client := sandboxClient(t, openSandboxKit(t), Options{})
	_, err := client.Withdraw(t.Context(), WithdrawalRequest{Amount: 9_999_999_999_00})
	equal(t, errors.Is(err, ErrInsufficientFunds), true)
	equal(t, errors.Is(err, ErrInsufficientGold), false)
	unknown := stillUnknown(refusalOf(t, err))
	equal(t, errors.Is(unknown, ErrOutcomeUnknown), true)
	equal(t, errors.Is(unknown, ErrInsufficientFunds), false)
}
