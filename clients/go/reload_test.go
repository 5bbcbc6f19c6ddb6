package sabika

import (
	"cmp"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
)

// startProxy starts a proxy for https, and counts its connections.
func startProxy(t *testing.T) (*url.URL, *atomic.Int32) {
	t.Helper()
	var connections atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		equal(t, request.Method, http.MethodConnect)
		connections.Add(1)
		there, err := net.Dial("tcp", request.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer there.Close()
		w.WriteHeader(http.StatusOK)
		here, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer here.Close()
		go io.Copy(there, buffered)
		io.Copy(here, there)
	}))
	t.Cleanup(proxy.CloseClientConnections)
	t.Cleanup(proxy.Close)
	return must(url.Parse(proxy.URL))(t), &connections
}

func TestAReloadedKitHasConnectionsAndTokensOfItsOwn(t *testing.T) {
	kit := openSandboxKit(t)
	proxy, connections := startProxy(t)
	client := sandboxClient(t, kit, Options{Proxy: proxy})
	must(client.Balances(t.Context()))(t)
	token := client.current.Load().token
	equal(t, connections.Load(), 1)
	client.Reload(must(OpenKit(kit.Folder))(t))
	must(client.Balances(t.Context()))(t)
	equal(t, connections.Load(), 2)
	equal(t, token != "" && client.current.Load().token != token, true)
}

// openNextKit opens a kit of the same partner with another certificate and key, if npm run clients has made one.
func openNextKit(t *testing.T) *Kit {
	t.Helper()
	return must(OpenKit(cmp.Or(os.Getenv("SABIKA_NEXT_KIT"), os.Getenv("SABIKA_KIT"))))(t)
}

func TestNoCallIsLostWhileKitsAreReloaded(t *testing.T) {
	kit := openSandboxKit(t)
	next := openNextKit(t)
	client := sandboxClient(t, kit, Options{})
	var calls sync.WaitGroup
	for range 4 {
		calls.Add(1)
		go func() {
			defer calls.Done()
			for range 10 {
				if _, err := client.Probe(t.Context(), nil); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	for _, kit := range []*Kit{next, kit, next, kit, next} {
		client.Reload(kit)
		equal(t, must(client.Probe(t.Context(), nil))(t).KeyID, kit.SigningKeyID)
	}
	calls.Wait()
}

func TestATokenThatIsRefusedToAReplacedKitFailsNoCall(t *testing.T) {
	kit := openSandboxKit(t)
	var client *Client
	refusals := 0
	client = sandboxClient(t, kit, Options{
		Transport: interpose(kit, func(request *http.Request, real http.RoundTripper) (*http.Response, error) {
			if request.URL.Path != "/oauth/token" || refusals > 0 {
				return real.RoundTrip(request)
			}
			refusals++
			client.Reload(kit)
			return answerOf(http.StatusUnauthorized, http.Header{}, ""), nil
		}),
	})
	must(client.Balances(t.Context()))(t)
	equal(t, refusals, 1)
}

func TestAStreamGoesOnWithTheReloadedKit(t *testing.T) {
	kit := openSandboxKit(t)
	streams := 0
	client := NewClient(kit, Options{
		Transport: interpose(kit, func(request *http.Request, real http.RoundTripper) (*http.Response, error) {
			if request.URL.Path == "/v1/events/stream" {
				streams++
			}
			return real.RoundTrip(request)
		}),
	})
	defer client.Close()
	fund := func() {
		must(client.Fund(t.Context(), FundRequest{Amount: 1_00}))(t)
	}
	fund()
	last := must(client.Events(EventFilter{Limit: 1}).Page(t.Context(), ""))(t).Data[0].Sequence
	fund()
	events := int64(0)
	for event, err := range client.StreamEvents(t.Context(), last) {
		equal(t, err, nil)
		events++
		equal(t, event.Sequence, last+events)
		if events == 2 {
			break
		}
		client.Reload(must(OpenKit(kit.Folder))(t))
		fund()
	}
	equal(t, streams, 2)
}
