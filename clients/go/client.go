package sabika

import (
	"context"
	"net/http"
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

// FindOrder returns the order that a key has made, or nil; for use when an outcome is unknown.
func (c *Client) FindOrder(ctx context.Context, idempotencyKey string) (*Order, error) {
	for order, err := range c.ListOrders(ListFilter{IdempotencyKey: idempotencyKey}).All(ctx) {
		if err != nil {
			return nil, err
		}
		return &order, nil
	}
	return nil, nil
}

// bytes returns the answer to a read, byte for byte.
func (c *Client) bytes(ctx context.Context, call call) ([]byte, error) {
	var answer rawAnswer
	err := c.send(ctx, call, &answer)
	return answer.body, err
}

// text returns the answer to a read as text; none while it is not ready (202).
func (c *Client) text(ctx context.Context, call call) (string, error) {
	var answer rawAnswer
	err := c.send(ctx, call, &answer)
	if err != nil || answer.status == http.StatusAccepted {
		return "", err
	}
	return string(answer.body), nil
}
