// Package integration tests the client with modules of others: PKCS #11, AWS KMS, PostgreSQL. It is a module
// of its own because the client has no dependency and needs no C compiler.
package integration

import (
	"os"
	"testing"

	"github.com/ThalesGroup/crypto11"
	sabika "sabika.example/go"
	"sabika.example/go/internal/operations"
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

func TestEachOperationIsCalledWithKeysOfAToken(t *testing.T) {
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
	operations.CallEach(t, "../../../docs/vectors/operations.json", kit, variable(t, "SABIKA_RESERVE_DAY"))
}
