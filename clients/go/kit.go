package sabika

import (
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Secret is a string that fmt and log print as an ellipsis.
type Secret string

func (Secret) String() string   { return "…" }
func (Secret) GoString() string { return "…" }

// Kit has a partner's credentials and addresses (Decision D43).
type Kit struct {
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

	signingKey  *ecdsa.PrivateKey
	certificate tls.Certificate
	authorities *x509.CertPool
}

// OpenKit opens a partner kit and checks it. An error names the file, never its contents.
func OpenKit(folder string) (*Kit, error) {
	kit := &Kit{Folder: folder}
	partnerFile := filepath.Join(folder, "partner.json")
	text, err := os.ReadFile(partnerFile)
	if err != nil {
		return nil, fmt.Errorf("is this the folder of a kit? %w", err)
	}
	if err := json.Unmarshal(text, kit); err != nil {
		return nil, fmt.Errorf("%s: not a valid partner.json; take it from the kit again", partnerFile)
	}
	// A kit has no client_secret if the certificate alone authenticates the client (tls_client_auth).
	if kit.Environment == "" || kit.ClientID == "" {
		return nil, fmt.Errorf("%s: environment or client_id is missing", partnerFile)
	}
	if !strings.HasPrefix(kit.BaseURL, "https://") || strings.HasSuffix(kit.BaseURL, "/") {
		return nil, fmt.Errorf("%s: base_url must be https, without a trailing slash", partnerFile)
	}
	if err := kit.readSigningKey(); err != nil {
		return nil, err
	}
	authorities, err := os.ReadFile(filepath.Join(folder, "ca.crt"))
	if err != nil {
		return nil, err
	}
	kit.authorities = x509.NewCertPool()
	if !kit.authorities.AppendCertsFromPEM(authorities) {
		return nil, fmt.Errorf("%s: contains no PEM certificate", filepath.Join(folder, "ca.crt"))
	}
	kit.certificate, err = kit.keyPair("client")
	return kit, err
}

func (k *Kit) readSigningKey() error {
	file := filepath.Join(k.Folder, "signing.key")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	key, err := ParsePrivateKey(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	keyID, err := Thumbprint(&key.PublicKey)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if k.SigningKeyID != "" && k.SigningKeyID != keyID {
		return fmt.Errorf("%s: it is not the key that is registered", file)
	}
	k.signingKey, k.SigningKeyID = key, keyID
	return nil
}

func (k *Kit) keyPair(name string) (tls.Certificate, error) {
	certificate := filepath.Join(k.Folder, name+".crt")
	key := filepath.Join(k.Folder, name+".key")
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return pair, fmt.Errorf("%s with %s: %w", key, certificate, err)
	}
	return pair, nil
}

// TLSConfig returns the settings for mutual TLS: they trust only ca.crt and present client.crt.
func (k *Kit) TLSConfig() *tls.Config {
	return &tls.Config{
		RootCAs:      k.authorities,
		Certificates: []tls.Certificate{k.certificate},
		MinVersion:   tls.VersionTLS12,
	}
}

// ReceiverTLSConfig returns the settings for an https webhook receiver on localhost. Only the sandbox's
// kit has the key for it.
func (k *Kit) ReceiverTLSConfig() (*tls.Config, error) {
	pair, err := k.keyPair("receiver")
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}
