package sabika

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Kit has a partner's credentials and addresses (Decision D43).
type Kit struct {
	KitValues

	certificate tls.Certificate
	authorities *x509.CertPool
}

// OpenKit opens the kit in a folder.
func OpenKit(folder string) (*Kit, error) { return NewKit(KitValues{Folder: folder}) }

// NewKit makes a kit of values and checks it. An error names the file or value, never its contents.
func NewKit(values KitValues) (*Kit, error) {
	if values.Folder != "" {
		if err := values.readFolder(); err != nil {
			return nil, err
		}
	}
	// A kit has no client_secret if the certificate alone authenticates the client (tls_client_auth).
	if values.Environment == "" || values.ClientID == "" {
		return nil, fmt.Errorf("%s: environment or client_id is missing", values.file("partner.json"))
	}
	if !strings.HasPrefix(values.BaseURL, "https://") || strings.HasSuffix(values.BaseURL, "/") {
		return nil, fmt.Errorf(
			"%s: base_url must be https, without a trailing slash", values.file("partner.json"),
		)
	}
	kit := &Kit{KitValues: values, authorities: x509.NewCertPool()}
	if err := kit.checkSigningKey(); err != nil {
		return nil, fmt.Errorf("%s: %w", values.file("signing.key"), err)
	}
	if !kit.authorities.AppendCertsFromPEM([]byte(values.CA)) {
		return nil, fmt.Errorf("%s: contains no PEM certificate", values.file("ca.crt"))
	}
	var err error
	kit.certificate, err = certificateOf(values.Certificate, values.ClientKey)
	if err != nil {
		client := values.file("client.key")
		return nil, fmt.Errorf("%s with %s: %w", client, values.file("client.crt"), err)
	}
	return kit, nil
}

// checkSigningKey checks that the key is the registered one; it computes the key's name if the kit has none.
func (k *Kit) checkSigningKey() error {
	if k.SigningKey == nil {
		return errors.New("it is missing")
	}
	key, ok := k.SigningKey.Public().(*ecdsa.PublicKey)
	if !ok || key.Curve != elliptic.P256() {
		return errors.New("the key is not for P-256")
	}
	keyID, err := Thumbprint(key)
	if err != nil {
		return err
	}
	if k.SigningKeyID != "" && k.SigningKeyID != keyID {
		return errors.New("it is not the key that is registered")
	}
	k.SigningKeyID = keyID
	return nil
}

// certificateOf puts a chain in PEM and the key of its first certificate together.
func certificateOf(chain string, key crypto.Signer) (pair tls.Certificate, err error) {
	for block, rest := pem.Decode([]byte(chain)); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			pair.Certificate = append(pair.Certificate, block.Bytes)
		}
	}
	if len(pair.Certificate) == 0 || key == nil {
		return pair, errors.New("one of them is missing")
	}
	if pair.Leaf, err = x509.ParseCertificate(pair.Certificate[0]); err != nil {
		return pair, err
	}
	certified, ok := pair.Leaf.PublicKey.(interface{ Equal(crypto.PublicKey) bool })
	if !ok || !certified.Equal(key.Public()) {
		return pair, errors.New("the key is not that of the certificate")
	}
	pair.PrivateKey = key
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
// kit has the key for it, in its folder.
func (k *Kit) ReceiverTLSConfig() (*tls.Config, error) {
	if k.Folder == "" {
		return nil, errors.New("the kit is not of a folder, which could have receiver.key")
	}
	certificate, key := filepath.Join(k.Folder, "receiver.crt"), filepath.Join(k.Folder, "receiver.key")
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("%s with %s: %w", key, certificate, err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}
