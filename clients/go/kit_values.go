package sabika

import (
	"cmp"
	"crypto"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Secret is a string that fmt and log print as an ellipsis.
type Secret string

func (Secret) String() string   { return "…" }
func (Secret) GoString() string { return "…" }

// KitValues are what a kit consists of. What is zero is read from Folder, if there is one.
type KitValues struct {
	Folder      string `json:"-"`
	Environment string `json:"environment"`
	// BaseURL is part of signatures, so it is never rewritten (Decision D20).
	BaseURL       string `json:"base_url"`
	ClientID      string `json:"client_id"`
	ClientSecret  Secret `json:"client_secret"`
	WebhookSecret Secret `json:"webhook_secret"`
	WebhookURL    string `json:"webhook_url"`
	// SigningKeyID is the RFC 7638 thumbprint of the signing key.
	SigningKeyID string `json:"signing_key_id"`

	// CA is the authority of the service's certificate, Certificate that of the client, both in PEM.
	CA          string `json:"-"`
	Certificate string `json:"-"`
	// ClientKey is the key of Certificate, SigningKey signs requests: an *ecdsa.PrivateKey, or a key that
	// stays in an HSM or a KMS.
	ClientKey  crypto.Signer `json:"-"`
	SigningKey crypto.Signer `json:"-"`
}

// KitValuesFromEnvironment reads SABIKA_KIT, which names the folder of a kit, and SABIKA_KIT_…, named after
// the members of partner.json and the files, such as SABIKA_KIT_BASE_URL and SABIKA_KIT_SIGNING_KEY. getenv is
// os.Getenv, say. An error names the variable, never its contents.
func KitValuesFromEnvironment(getenv func(string) string) (KitValues, error) {
	text := func(name string) string { return getenv("SABIKA_KIT_" + name) }
	pemText := func(name string) string { return strings.ReplaceAll(text(name), `\n`, "\n") }
	values := KitValues{
		Folder:        getenv("SABIKA_KIT"),
		Environment:   text("ENVIRONMENT"),
		BaseURL:       text("BASE_URL"),
		ClientID:      text("CLIENT_ID"),
		ClientSecret:  Secret(text("CLIENT_SECRET")),
		WebhookSecret: Secret(text("WEBHOOK_SECRET")),
		WebhookURL:    text("WEBHOOK_URL"),
		SigningKeyID:  text("SIGNING_KEY_ID"),
		CA:            pemText("CA_CRT"),
		Certificate:   pemText("CLIENT_CRT"),
	}
	for name, key := range map[string]*crypto.Signer{
		"CLIENT_KEY": &values.ClientKey, "SIGNING_KEY": &values.SigningKey,
	} {
		if text(name) == "" {
			continue
		}
		var err error
		if *key, err = parseKey([]byte(pemText(name))); err != nil {
			return values, fmt.Errorf("SABIKA_KIT_%s: %w", name, err)
		}
	}
	return values, nil
}

// readFolder reads what was not given.
func (v *KitValues) readFolder() error {
	partnerFile := v.file("partner.json")
	text, err := os.ReadFile(partnerFile)
	if err != nil {
		return fmt.Errorf("is this the folder of a kit? %w", err)
	}
	var partner KitValues
	if err := json.Unmarshal(text, &partner); err != nil {
		return fmt.Errorf("%s: not a valid partner.json; take it from the kit again", partnerFile)
	}
	v.Environment = cmp.Or(v.Environment, partner.Environment)
	v.BaseURL = cmp.Or(v.BaseURL, partner.BaseURL)
	v.ClientID = cmp.Or(v.ClientID, partner.ClientID)
	v.ClientSecret = cmp.Or(v.ClientSecret, partner.ClientSecret)
	v.WebhookSecret = cmp.Or(v.WebhookSecret, partner.WebhookSecret)
	v.WebhookURL = cmp.Or(v.WebhookURL, partner.WebhookURL)
	v.SigningKeyID = cmp.Or(v.SigningKeyID, partner.SigningKeyID)
	for name, certificate := range map[string]*string{"ca.crt": &v.CA, "client.crt": &v.Certificate} {
		if *certificate != "" {
			continue
		}
		text, err := os.ReadFile(v.file(name))
		if err != nil {
			return err
		}
		*certificate = string(text)
	}
	for name, key := range map[string]*crypto.Signer{
		"client.key": &v.ClientKey, "signing.key": &v.SigningKey,
	} {
		if *key != nil {
			continue
		}
		text, err := os.ReadFile(v.file(name))
		if err != nil {
			return err
		}
		if *key, err = parseKey(text); err != nil {
			return fmt.Errorf("%s: %w", v.file(name), err)
		}
	}
	return nil
}

// file returns what an error calls a part of the kit: its file, if there is a folder.
func (v *KitValues) file(name string) string { return filepath.Join(v.Folder, name) }

// parseKey reads a private key of any kind from PEM (PKCS #8).
func parseKey(text []byte) (crypto.Signer, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, errors.New("not a PEM private key in PKCS #8")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := parsed.(crypto.Signer)
	if err != nil || !ok {
		return nil, errors.New("the key cannot sign")
	}
	return key, nil
}
