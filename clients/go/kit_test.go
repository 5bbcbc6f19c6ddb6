package sabika

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAKitDoesNotShowItsSecrets(t *testing.T) {
	kit := openSandboxKit(t)
	private, _ := kit.SigningKey.(*ecdsa.PrivateKey)
	for _, form := range []string{"%v", "%+v", "%#v", "%s"} {
		shown := fmt.Sprintf(form, *kit)
		for _, secret := range []string{
			string(kit.ClientSecret), string(kit.WebhookSecret), private.D.String(),
		} {
			if strings.Contains(shown, secret) {
				t.Errorf("%s shows a secret", form)
			}
		}
	}
}

func TestAKitWithAWrongFileIsRefusedByItsName(t *testing.T) {
	kit := openSandboxKit(t)
	folder := t.TempDir()
	_, err := OpenKit(folder)
	equal(t, strings.Contains(fmt.Sprint(err), "partner.json"), true)
	for name, other := range map[string]string{"client.key": "signing.key", "signing.key": "client.key"} {
		equal(t, os.CopyFS(filepath.Join(folder, name), os.DirFS(kit.Folder)), nil)
		text := must(os.ReadFile(filepath.Join(kit.Folder, other)))(t)
		equal(t, os.WriteFile(filepath.Join(folder, name, name), text, 0o600), nil)
		_, err := OpenKit(filepath.Join(folder, name))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAKitIsReadFromTheEnvironment(t *testing.T) {
	kit := openSandboxKit(t)
	file := func(name string) string {
		text := must(os.ReadFile(filepath.Join(kit.Folder, name)))(t)
		return strings.ReplaceAll(string(text), "\n", `\n`)
	}
	variables := map[string]string{
		"SABIKA_KIT_ENVIRONMENT":   "sandbox",
		"SABIKA_KIT_BASE_URL":      kit.BaseURL,
		"SABIKA_KIT_CLIENT_ID":     kit.ClientID,
		"SABIKA_KIT_CLIENT_SECRET": string(kit.ClientSecret),
		"SABIKA_KIT_CA_CRT":        file("ca.crt"),
		"SABIKA_KIT_CLIENT_CRT":    file("client.crt"),
		"SABIKA_KIT_CLIENT_KEY":    file("client.key"),
		"SABIKA_KIT_SIGNING_KEY":   file("signing.key"),
	}
	get := func(name string) string { return variables[name] }
	found := must(NewKit(must(KitValuesFromEnvironment(get))(t)))(t)
	equal(t, found.SigningKeyID, kit.SigningKeyID)
	equal(t, must(sandboxClient(t, found, Options{}).Probe(t.Context(), nil))(t).Verified, true)

	variables = map[string]string{"SABIKA_KIT": kit.Folder, "SABIKA_KIT_BASE_URL": "https://bank.test"}
	found = must(NewKit(must(KitValuesFromEnvironment(get))(t)))(t)
	equal(t, found.BaseURL, "https://bank.test")
	equal(t, found.ClientID, kit.ClientID)

	for name, variables := range map[string]map[string]string{
		"partner.json":           {},
		"SABIKA_KIT_SIGNING_KEY": {"SABIKA_KIT": kit.Folder, "SABIKA_KIT_SIGNING_KEY": "no key"},
		"client.crt":             {"SABIKA_KIT": kit.Folder, "SABIKA_KIT_CLIENT_KEY": file("signing.key")},
		"signing.key":            {"SABIKA_KIT": kit.Folder, "SABIKA_KIT_SIGNING_KEY": file("client.key")},
	} {
		values, err := KitValuesFromEnvironment(func(name string) string { return variables[name] })
		if err == nil {
			_, err = NewKit(values)
		}
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// signs is a crypto.Signer like that of an HSM or a KMS.
type signs func(digest []byte) ([]byte, error)

func (signs) Public() crypto.PublicKey { return nil }

func (s signs) Sign(_ io.Reader, digest []byte, _ crypto.SignerOpts) ([]byte, error) {
	return s(digest)
}

func TestASignerThatFailsIsAskedAgain(t *testing.T) {
	kit := openSandboxKit(t)
	private, away := kit.SigningKey, errors.New("the token was removed")
	failures := 1
	kit.SigningKey = signs(func(digest []byte) ([]byte, error) {
		if failures--; failures >= 0 {
			return nil, away
		}
		return private.Sign(rand.Reader, digest, crypto.SHA256)
	})
	pauses := 0
	client := sandboxClient(t, kit, Options{Sleep: func(context.Context, time.Duration) error {
		pauses++
		return nil
	}})
	equal(t, must(client.Probe(t.Context(), nil))(t).Verified, true)
	equal(t, pauses, 1)
	failures = 6
	_, err := client.Withdraw(t.Context(), WithdrawalRequest{Amount: 1_00, IdempotencyKey: "w"})
	equal(t, errors.Is(err, ErrSignerFailed) && errors.Is(err, away), true)
	equal(t, refusalOf(t, err).IdempotencyKey, "w")
}

func TestASignatureThatDoesNotFitInAJWSIsAnError(t *testing.T) {
	long := must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))(t)
	_, err := SignDetached("text", long, "")
	equal(t, fmt.Sprint(err), "the signer's key is not for P-256")
	_, err = SignDetached("text", signs(func([]byte) ([]byte, error) { return make([]byte, 64), nil }), "")
	equal(t, fmt.Sprint(err), "the signer returned no ECDSA signature in DER")
	away := errors.New("the token was removed")
	_, err = SignDetached("text", signs(func([]byte) ([]byte, error) { return nil, away }), "")
	equal(t, errors.Is(err, away), true)
}
