package sabika

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Options of a client; the zero value has the defaults.
type Options struct {
	// Timeout of one attempt; 15 s when zero.
	Timeout time.Duration
	Retry   Retry
	// Transport replaces the connection with the kit's certificate.
	Transport http.RoundTripper
	// Now is time.Now when nil.
	Now func() time.Time
	// Sleep waits between attempts; it returns the context's error when that ends.
	Sleep func(context.Context, time.Duration) error
}

// Client is the service's API for a partner; it is safe for concurrent use. Every method returns an *Error
// if the call fails, the error of its context, or one that wraps ErrTooPrecise for an amount.
//
// Writes take an IdempotencyKey: if you store it with your record of the trade, the call can be repeated,
// also after a crash, without a second effect. By default each call makes a new key.
type Client struct {
	kit     *Kit
	http    *http.Client
	timeout time.Duration
	retry   Retry
	now     func() time.Time
	sleep   func(context.Context, time.Duration) error

	// clockOffset is the service's clock minus the local one, in nanoseconds.
	clockOffset atomic.Int64

	tokenMutex sync.Mutex
	token      string
	tokenEnds  time.Time
}

// NewClient makes a client from a kit.
func NewClient(kit *Kit, options Options) *Client {
	client := &Client{
		kit:     kit,
		timeout: options.Timeout,
		retry:   options.Retry.withDefaults(),
		now:     options.Now,
		sleep:   options.Sleep,
	}
	if client.timeout == 0 {
		client.timeout = 15 * time.Second
	}
	if client.now == nil {
		client.now = time.Now
	}
	if client.sleep == nil {
		client.sleep = sleep
	}
	transport := options.Transport
	if transport == nil {
		transport = &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			TLSClientConfig:     kit.TLSConfig(),
			MaxIdleConnsPerHost: 16,
			IdleConnTimeout:     90 * time.Second,
		}
	}
	client.http = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return client
}

// Close closes the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Health returns the state of the service.
func (c *Client) Health(ctx context.Context) (health Health, err error) {
	// A 503 of /health is an answer, not a failure (Decision D16).
	err = c.send(ctx, call{method: "GET", path: "/health", alsoStatus: 503}, &health)
	return health, err
}

// Prices returns the indicative prices.
func (c *Client) Prices(ctx context.Context) (prices Prices, err error) {
	err = c.send(ctx, call{method: "GET", path: "/v1/prices", token: true}, &prices)
	return prices, err
}

// PriceHistory returns the course of the mid price: the last 100 hours, or as the query says.
func (c *Client) PriceHistory(ctx context.Context, query HistoryQuery) (history PriceHistory, err error) {
	values := url.Values{}
	if !query.From.IsZero() {
		values.Set("from", query.From.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	if !query.To.IsZero() {
		values.Set("to", query.To.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	if query.Interval != "" {
		values.Set("interval", query.Interval)
	}
	path := "/v1/prices/history"
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	err = c.send(ctx, call{method: "GET", path: path, token: true}, &history)
	return history, err
}

// Balances returns the account's money and gold.
func (c *Client) Balances(ctx context.Context) (balances Balances, err error) {
	err = c.send(ctx, call{method: "GET", path: "/v1/balances", token: true}, &balances)
	return balances, err
}

// Vault returns the pool of bars that your gold is a share of, as it is now.
func (c *Client) Vault(ctx context.Context) (vault Vault, err error) {
	err = c.send(ctx, call{method: "GET", path: "/v1/vault", token: true}, &vault)
	return vault, err
}

// VaultVersion returns a version of that pool, to keep: its SHA-256 is the hash that receipts name.
func (c *Client) VaultVersion(ctx context.Context, number int64) ([]byte, error) {
	return c.text(ctx, "/v1/vault/versions/"+strconv.FormatInt(number, 10))
}

// Receipt returns the receipt of an order, to keep and for VerifyReceipt; empty while it is not signed.
func (c *Client) Receipt(ctx context.Context, orderID string) (string, error) {
	var answer rawAnswer
	path := "/v1/orders/" + url.PathEscape(orderID) + "/receipt"
	err := c.send(ctx, call{method: "GET", path: path, accept: "application/jose", token: true}, &answer)
	if err != nil || answer.status == http.StatusAccepted {
		return "", err
	}
	return string(answer.body), nil
}

// ReceiptKeys returns the JSON of all keys that ever signed receipts and reserves, to keep.
func (c *Client) ReceiptKeys(ctx context.Context) ([]byte, error) {
	return c.text(ctx, "/.well-known/sabika-receipt-keys.json")
}

// AttestationKeys returns the JSON of all keys of inspectors and auditors, to keep.
func (c *Client) AttestationKeys(ctx context.Context) ([]byte, error) {
	return c.text(ctx, "/.well-known/sabika-attestation-keys.json")
}

// Reserve returns the reserve of a day in Riyadh, such as 2026-11-20, to keep and for VerifyReserve.
func (c *Client) Reserve(ctx context.Context, day string) (reserve PublishedReserve, err error) {
	path := "/v1/reserves/" + url.PathEscape(day)
	err = c.send(ctx, call{method: "GET", path: path, token: true}, &reserve)
	return reserve, err
}

// ReserveOpening returns the JSON of what your commitment in that reserve hides, to keep.
func (c *Client) ReserveOpening(ctx context.Context, day string) ([]byte, error) {
	return c.text(ctx, "/v1/reserves/"+url.PathEscape(day)+"/mine")
}

// text returns the answer to a read, byte for byte.
func (c *Client) text(ctx context.Context, path string) ([]byte, error) {
	var answer rawAnswer
	err := c.send(ctx, call{method: "GET", path: path, token: true}, &answer)
	return answer.body, err
}

// Fund credits the account at once; sandbox only.
func (c *Client) Fund(ctx context.Context, request FundRequest) (funding Funding, err error) {
	err = c.write(ctx, "/sandbox/fund", request, request.IdempotencyKey, false, &funding)
	return funding, err
}

// Quote requests a firm price.
func (c *Client) Quote(ctx context.Context, request QuoteRequest) (quote Quote, err error) {
	err = c.write(ctx, "/v1/quotes", request, request.IdempotencyKey, false, &quote)
	return quote, err
}

// Order executes a quote.
func (c *Client) Order(ctx context.Context, request OrderRequest) (order Order, err error) {
	err = c.write(ctx, "/v1/orders", request, request.IdempotencyKey, true, &order)
	return order, err
}

// Withdraw pays to the settlement IBAN.
func (c *Client) Withdraw(ctx context.Context, request WithdrawalRequest) (withdrawal Withdrawal, err error) {
	err = c.write(ctx, "/v1/withdrawals", request, request.IdempotencyKey, true, &withdrawal)
	return withdrawal, err
}

// CancelWithdrawal cancels a withdrawal; refused once it is being paid.
func (c *Client) CancelWithdrawal(ctx context.Context, id, idempotencyKey string) (withdrawal Withdrawal, err error) {
	path := "/v1/withdrawals/" + url.PathEscape(id) + "/cancel"
	err = c.write(ctx, path, struct{}{}, idempotencyKey, true, &withdrawal)
	return withdrawal, err
}

// Probe tests a signed request; the *Error of a refusal has a Diagnosis.
func (c *Client) Probe(ctx context.Context, body any) (probe Probe, err error) {
	err = c.write(ctx, "/v1/signed-probe", body, "", true, &probe)
	return probe, err
}

// FindOrder returns the order that a key has made, or nil; for use when an outcome is unknown.
func (c *Client) FindOrder(ctx context.Context, idempotencyKey string) (*Order, error) {
	var page struct {
		Data []Order `json:"data"`
	}
	path := "/v1/orders?idempotency_key=" + url.QueryEscape(idempotencyKey)
	err := c.send(ctx, call{method: "GET", path: path, token: true}, &page)
	if err != nil || len(page.Data) == 0 {
		return nil, err
	}
	return &page.Data[0], nil
}
