// A partner's day: buys a gram of gold although the answer is lost, receives the events in their order, and
// reconciles the day's statement with its own trades.
//
//	go run ./examples/tradingday KIT [WEBHOOK_URL]
//
// With WEBHOOK_URL, an https address on this machine that is registered for the partner, the sandbox's
// events are received there with the kit's receiver.crt and receiver.key.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	sabika "sabika.example/go"
)

func main() {
	if len(os.Args) != 2 && len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: tradingday KIT [WEBHOOK_URL]")
		os.Exit(2)
	}
	webhookURL := ""
	if len(os.Args) == 3 {
		webhookURL = os.Args[2]
	}
	if err := run(context.Background(), os.Args[1], webhookURL); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, folder, webhookURL string) error {
	kit, err := sabika.OpenKit(folder)
	if err != nil {
		return err
	}
	connection := &losesFirstAnswer{real: &http.Transport{TLSClientConfig: kit.TLSConfig()}}
	client := sabika.NewClient(kit, sabika.Options{Transport: connection})
	defer client.Close()
	events := make(chan sabika.Event, 100)
	if webhookURL != "" {
		server, err := startReceiver(kit, client, webhookURL, events)
		if err != nil {
			return err
		}
		defer server.Close()
	}
	order, err := buy(ctx, client, kit)
	if err != nil {
		return err
	}
	if webhookURL != "" {
		if err := awaitWebhook(events, order); err != nil {
			return err
		}
	}
	return reconcile(ctx, client, order)
}

// losesFirstAnswer is a connection that loses the first answer to an order, as a network does now and then.
type losesFirstAnswer struct {
	real   http.RoundTripper
	isLost bool
}

func (l *losesFirstAnswer) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := l.real.RoundTrip(request)
	if err != nil || l.isLost || request.Method != "POST" || request.URL.Path != "/v1/orders" {
		return answer, err
	}
	l.isLost = true
	answer.Body.Close()
	return nil, errors.New("the connection broke")
}

func buy(ctx context.Context, client *sabika.Client, kit *sabika.Kit) (order sabika.Order, err error) {
	if kit.Environment == "sandbox" {
		if _, err = client.Fund(ctx, sabika.FundRequest{Amount: 1000_00}); err != nil {
			return order, err
		}
	}
	quote, err := client.Quote(ctx, sabika.QuoteRequest{Side: sabika.Buy, Gold: 1_000_000})
	if err != nil {
		return order, err
	}
	fmt.Printf("%s is firm until %s: %s SAR\n", quote.ID, quote.ExpiresAt, quote.Total)
	// Your own reference for the trade, stored before the order is sent.
	trade := rand.Text()
	order, err = client.Order(ctx, sabika.OrderRequest{
		QuoteID: quote.ID, ClientReference: trade, IdempotencyKey: trade,
	})
	if err != nil {
		return order, err
	}
	fmt.Printf("%s %s: %s g for %s SAR\n", order.ID, order.Status, order.Gold, order.Total)
	made := 0
	for listed, err := range client.ListOrders(sabika.ListFilter{}).All(ctx) {
		if err != nil {
			return order, err
		}
		if listed.ClientReference == trade {
			made++
		}
	}
	fmt.Printf("its answer was lost, its call repeated: %d order\n", made)
	return order, nil
}

func awaitWebhook(events <-chan sabika.Event, order sabika.Order) error {
	patience := time.After(30 * time.Second)
	for {
		select {
		case event := <-events:
			if event.Type != "order.executed" {
				continue
			}
			if executed, err := event.Order(); err == nil && executed.ID == order.ID {
				fmt.Println("webhook", event.Type, executed.ID)
				return nil
			}
		case <-patience:
			return errors.New("the webhook did not come within 30 s")
		}
	}
}

// reconcile compares the statement of the day with the order, and its entries with its balances.
func reconcile(ctx context.Context, client *sabika.Client, order sabika.Order) error {
	day := order.CreatedAt.In(time.FixedZone("Riyadh", 3*60*60)).Format(time.DateOnly)
	statement, err := client.Statement(ctx, day)
	if err != nil {
		return err
	}
	// Amounts of the ledger are in ten-thousandths, of SAR or of grams.
	moved := map[string]sabika.Amount{}
	isBooked := false
	for _, entry := range statement.Entries {
		moved[entry.DebitAccount] -= entry.Amount
		moved[entry.CreditAccount] += entry.Amount
		isBooked = isBooked || entry.Order != nil && entry.Order.ID == order.ID && entry.Order.Total == order.Total
	}
	balances := statement.Opening
	balances.SAR += sabika.SAR(moved["cash"] / 100)
	balances.Gold += sabika.Grams(moved["gold"] * 100)
	verdict := "DIFFERS"
	if isBooked && balances == statement.Closing {
		verdict = "reconciled"
	}
	fmt.Printf("%s %s: %d entries\n", day, verdict, len(statement.Entries))
	return nil
}

// startReceiver serves the webhook endpoint, and sends each genuine event to events, once and in sequence.
func startReceiver(
	kit *sabika.Kit, client *sabika.Client, address string, events chan<- sabika.Event,
) (*http.Server, error) {
	endpoint, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	tlsConfig, err := kit.ReceiverTLSConfig()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle(endpoint.Path, &sabika.OrderedReceiver{
		Secrets:  []string{string(kit.WebhookSecret)},
		Sequence: &sabika.SequenceInMemory{}, // a table in production
		Events:   client.Events,
		Handle: func(ctx context.Context, event sabika.Event) error {
			select {
			case events <- event:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
	})
	server := &http.Server{
		Addr: endpoint.Host, Handler: mux, TLSConfig: tlsConfig, ReadHeaderTimeout: 10 * time.Second,
	}
	go func() {
		if err := server.ListenAndServeTLS("", ""); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}()
	return server, nil
}
