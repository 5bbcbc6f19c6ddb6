package sabika

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"
)

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
