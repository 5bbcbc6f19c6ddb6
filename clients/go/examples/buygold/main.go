// Buys a gram of gold, repeats the order with the same key, and waits for the one webhook.
//
//	go run ./examples/buygold KIT [WEBHOOK_URL]
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
		fmt.Fprintln(os.Stderr, "usage: buygold KIT [WEBHOOK_URL]")
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
	events := make(chan sabika.Event, 100)
	if webhookURL != "" {
		server, err := startReceiver(kit, webhookURL, events)
		if err != nil {
			return err
		}
		defer server.Close()
	}
	order, err := buy(ctx, kit)
	if err != nil || webhookURL == "" {
		return err
	}
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

func buy(ctx context.Context, kit *sabika.Kit) (sabika.Order, error) {
	client := sabika.NewClient(kit, sabika.Options{})
	defer client.Close()
	prices, err := client.Prices(ctx)
	if err != nil {
		return sabika.Order{}, err
	}
	fmt.Printf("%s: %s SAR a gram\n", kit.Environment, prices.Buy)
	if kit.Environment == "sandbox" {
		if _, err := client.Fund(ctx, sabika.FundRequest{Amount: 1000_00}); err != nil {
			return sabika.Order{}, err
		}
	}
	gram, err := sabika.ParseGrams("1")
	if err != nil {
		return sabika.Order{}, err
	}
	quote, err := client.Quote(ctx, sabika.QuoteRequest{Side: sabika.Buy, Gold: gram})
	if err != nil {
		return sabika.Order{}, err
	}
	fmt.Printf("%s is firm until %s: %s SAR\n", quote.ID, quote.ExpiresAt, quote.Total)
	// Your own reference for the trade, stored before the order is sent.
	trade := rand.Text()
	request := sabika.OrderRequest{QuoteID: quote.ID, ClientReference: trade, IdempotencyKey: trade}
	order, err := client.Order(ctx, request)
	if err != nil {
		return sabika.Order{}, err
	}
	fmt.Printf("%s %s: %s g for %s SAR\n", order.ID, order.Status, order.Gold, order.Total)
	again, err := client.Order(ctx, request)
	if err != nil {
		return sabika.Order{}, err
	}
	which := "another"
	if again.ID == order.ID && *again.Balances == *order.Balances {
		which = "the same"
	}
	fmt.Printf("%s once more: %s order\n", again.ID, which)
	return order, nil
}

// startReceiver serves the webhook endpoint, and sends each genuine event to events once.
func startReceiver(kit *sabika.Kit, address string, events chan<- sabika.Event) (*http.Server, error) {
	endpoint, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	tlsConfig, err := kit.ReceiverTLSConfig()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle(endpoint.Path, &sabika.WebhookReceiver{
		Secrets: []string{string(kit.WebhookSecret)},
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
