package sabika

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// Options of a client; the zero value has the defaults.
type Options struct {
	// Timeout of one attempt; 15 s when zero.
	Timeout time.Duration
	Retry   Retry
	// Proxy is where connections go through; the proxy of HTTPS_PROXY and NO_PROXY when nil.
	Proxy *url.URL
	// Transport replaces the connection with the kit's certificate, also after Reload.
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
	options Options

	// current is what new attempts use.
	current atomic.Pointer[connection]
	// clockOffset is the service's clock minus the local one, in nanoseconds.
	clockOffset atomic.Int64
}

// connection is what belongs to one kit: a token is valid only with the certificate that fetched it.
type connection struct {
	kit  *Kit
	http *http.Client

	tokenMutex sync.Mutex
	token      string
	tokenEnds  time.Time
}

// NewClient makes a client from a kit.
func NewClient(kit *Kit, options Options) *Client {
	options.Timeout = cmp.Or(options.Timeout, 15*time.Second)
	options.Retry = options.Retry.withDefaults()
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Sleep == nil {
		options.Sleep = sleep
	}
	client := &Client{options: options}
	client.current.Store(client.connect(kit))
	return client
}

func (c *Client) connect(kit *Kit) *connection {
	transport := c.options.Transport
	if transport == nil {
		proxy := http.ProxyFromEnvironment
		if c.options.Proxy != nil {
			proxy = http.ProxyURL(c.options.Proxy)
		}
		transport = &http.Transport{
			Proxy:               proxy,
			TLSClientConfig:     kit.TLSConfig(),
			MaxIdleConnsPerHost: 16,
			IdleConnTimeout:     90 * time.Second,
		}
	}
	return &connection{kit: kit, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Reload goes on with another kit, such as one with a rotated certificate or key. Requests that are under
// way end with the old one; all later ones, also those that repeat an earlier one, use the new certificate
// and a new token.
func (c *Client) Reload(kit *Kit) {
	c.current.Swap(c.connect(kit)).http.CloseIdleConnections()
}

// Close closes the idle connections.
func (c *Client) Close() { c.current.Load().http.CloseIdleConnections() }

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
