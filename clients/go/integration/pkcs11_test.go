// Package integration tests the client with modules of others: PKCS #11, AWS KMS, PostgreSQL. It is a module
// of its own because the client has no dependency and needs no C compiler.
package integration

import (
	"context"
	"os"
	"testing"

	"github.com/ThalesGroup/crypto11"
	sabika "sabika.example/go"
)

// variable reads a variable of npm run clients.
func variable(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("%s is not set: npm run clients -- go", name)
	}
	return value
}

func keyPair(t *testing.T, token *crypto11.Context, label string) crypto11.Signer {
	t.Helper()
	key, err := token.FindKeyPair(nil, []byte(label))
	if err != nil || key == nil {
		t.Fatalf("the token has no key %s: %v", label, err)
	}
	return key
}

func TestAnOrderIsSignedAndSentWithKeysOfAToken(t *testing.T) {
	token, err := crypto11.Configure(&crypto11.Config{
		Path: variable(t, "SABIKA_TOKEN_MODULE"), TokenLabel: "sabika", Pin: variable(t, "SABIKA_TOKEN_PIN"),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer token.Close()
	// The folder has neither client.key nor signing.key.
	kit, err := sabika.NewKit(sabika.KitValues{
		Folder:     variable(t, "SABIKA_TOKEN_KIT"),
		ClientKey:  keyPair(t, token, "client"),
		SigningKey: keyPair(t, token, "signing"),
	})
	if err != nil {
		t.Fatal(err)
	}
	client := sabika.NewClient(kit, sabika.Options{})
	defer client.Close()
	if err := buy(t.Context(), client); err != nil {
		t.Fatal(err)
	}
}

func buy(ctx context.Context, client *sabika.Client) error {
	if _, err := client.Fund(ctx, sabika.FundRequest{Amount: 1000_00}); err != nil {
		return err
	}
	quote, err := client.Quote(ctx, sabika.QuoteRequest{Side: sabika.Buy, Gold: 1_000_000})
	if err != nil {
		return err
	}
	_, err = client.Order(ctx, sabika.OrderRequest{QuoteID: quote.ID})
	return err
}
