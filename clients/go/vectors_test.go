package sabika

import (
	"cmp"
	"crypto"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// readVectors reads a file of docs/vectors, which every client is tested against.
func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	// npm run clients makes more of them.
	folder := cmp.Or(os.Getenv("SABIKA_VECTORS"), filepath.Join("..", "..", "docs", "vectors"))
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

type keyVector struct {
	Name          string
	KeyID         string `json:"key_id"`
	PrivateKeyPEM string `json:"private_key_pem"`
	PublicKeyPEM  string `json:"public_key_pem"`
}

func keyVectors(t *testing.T) []keyVector {
	t.Helper()
	var file struct{ Keys []keyVector }
	readVectors(t, "keys.json", &file)
	return file.Keys
}

func publishedKey(t *testing.T, name string) *ecdsa.PrivateKey {
	t.Helper()
	for _, vector := range keyVectors(t) {
		if vector.Name != name {
			continue
		}
		key, err := ParsePrivateKey([]byte(vector.PrivateKeyPEM))
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	t.Fatalf("there is no key %s", name)
	return nil
}

func TestKeysHaveTheThumbprintsOfTheVectors(t *testing.T) {
	for _, vector := range keyVectors(t) {
		t.Run(vector.Name, func(t *testing.T) {
			public, err := ParsePublicKey([]byte(vector.PublicKeyPEM))
			if err != nil {
				t.Fatal(err)
			}
			equal(t, publishedKey(t, vector.Name).PublicKey.Equal(public), true)
			thumbprint, err := Thumbprint(public)
			equal(t, thumbprint, vector.KeyID)
			equal(t, err, nil)
		})
	}
}

type requestVector struct {
	Name, Method, URL, Body, Timestamp, Nonce, Canonical, JWS string
	BodySHA256                                                string `json:"body_sha256"`
	Refusal                                                   *string
}

func (v requestVector) request() SignedRequest {
	return SignedRequest{
		Method: v.Method, URL: v.URL, Body: []byte(v.Body),
		Timestamp: v.Timestamp, Nonce: v.Nonce,
	}
}

type requestVectors struct {
	Key                       string
	Vectors, Refused, Headers []requestVector
}

func readRequestVectors(t *testing.T) (requestVectors, *ecdsa.PrivateKey) {
	t.Helper()
	var file requestVectors
	readVectors(t, "canonical_string.json", &file)
	return file, publishedKey(t, file.Key)
}

func TestRequestsAreSignedAsInTheVectors(t *testing.T) {
	file, key := readRequestVectors(t)
	for _, vector := range file.Vectors {
		t.Run(vector.Name, func(t *testing.T) {
			canonical, err := vector.request().CanonicalString()
			equal(t, err, nil)
			equal(t, canonical, vector.Canonical)
			hash := sha256.Sum256([]byte(vector.Body))
			equal(t, hex.EncodeToString(hash[:]), vector.BodySHA256)
			signed, err := vector.request().Sign(key, "")
			equal(t, err, nil)
			for _, jws := range []string{signed, vector.JWS} {
				_, err := VerifyDetached(jws, canonical, &key.PublicKey)
				equal(t, err, nil)
			}
			equal(t, signDeterministically(t, canonical, key), vector.JWS)
		})
	}
}

func TestPartsWithALineFeedAreRefused(t *testing.T) {
	file, _ := readRequestVectors(t)
	for _, vector := range file.Refused {
		t.Run(vector.Name, func(t *testing.T) {
			_, err := vector.request().CanonicalString()
			equalRefusal(t, textOf(err), vector.Refusal)
		})
	}
}

func TestTimestampsAndNoncesAreJudgedAsInTheVectors(t *testing.T) {
	file, key := readRequestVectors(t)
	for _, vector := range file.Headers {
		t.Run(vector.Name, func(t *testing.T) {
			_, err := vector.request().Sign(key, "")
			equalRefusal(t, textOf(err), vector.Refusal)
		})
	}
}

// signDeterministically signs by RFC 6979, as the vectors were signed: Go does so when it is given no randomness.
func signDeterministically(t *testing.T, payload string, key *ecdsa.PrivateKey) string {
	t.Helper()
	protected := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"ES256","b64":false,"crit":["b64"]}`))
	hash := sha256.Sum256([]byte(protected + "." + payload))
	der, err := key.Sign(nil, hash[:], crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	var numbers struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &numbers); err != nil {
		t.Fatal(err)
	}
	signature := make([]byte, 64)
	numbers.R.FillBytes(signature[:32])
	numbers.S.FillBytes(signature[32:])
	return protected + ".." + base64.RawURLEncoding.EncodeToString(signature)
}

func TestSignaturesAreJudgedAsInTheVectors(t *testing.T) {
	type vector struct {
		Name, Payload, JWS string
		KeyID              *string `json:"key_id"`
		Refusal            *string
	}
	var file struct {
		Key            string
		Valid, Invalid []vector
	}
	readVectors(t, "jws.json", &file)
	key := &publishedKey(t, file.Key).PublicKey
	for _, vector := range append(file.Valid, file.Invalid...) {
		t.Run(vector.Name, func(t *testing.T) {
			keyID, err := VerifyDetached(vector.JWS, vector.Payload, key)
			equalRefusal(t, textOf(err), vector.Refusal)
			want := ""
			if vector.KeyID != nil {
				want = *vector.KeyID
			}
			equal(t, keyID, want)
		})
	}
}

func TestWebhooksAreSignedAndJudgedAsInTheVectors(t *testing.T) {
	var file struct {
		Signatures []struct {
			Name, ID, Body, Signature string
			Secrets                   []string
			Timestamp                 int64
		}
		Deliveries []struct {
			Name, Body string
			Secrets    []string
			Headers    map[string]string
			Now        int64
			Refusal    *string
		}
		Secrets []struct {
			Secret string
			Valid  bool
		}
	}
	readVectors(t, "webhook.json", &file)
	for _, vector := range file.Signatures {
		t.Run(vector.Name, func(t *testing.T) {
			signatures := ""
			for _, secret := range vector.Secrets {
				timestamp := strconv.FormatInt(vector.Timestamp, 10)
				signature, err := SignWebhook(secret, vector.ID, timestamp, []byte(vector.Body))
				equal(t, err, nil)
				if signatures != "" {
					signatures += " "
				}
				signatures += signature
			}
			equal(t, signatures, vector.Signature)
		})
	}
	for _, vector := range file.Deliveries {
		t.Run(vector.Name, func(t *testing.T) {
			header := http.Header{}
			for name, value := range vector.Headers {
				header.Set(name, value)
			}
			now := time.Unix(vector.Now, 0)
			err := VerifyWebhook(vector.Secrets, header, []byte(vector.Body), now)
			equalRefusal(t, textOf(err), vector.Refusal)
		})
	}
	for number, vector := range file.Secrets {
		t.Run(fmt.Sprint("secret ", number), func(t *testing.T) {
			_, err := SignWebhook(vector.Secret, "evt_1", "1795167000", nil)
			equal(t, err == nil, vector.Valid)
		})
	}
}

func TestCertificateThumbprintsAreThoseOfTheVectors(t *testing.T) {
	var file struct {
		Certificates []struct {
			PEM     string `json:"certificate_pem"`
			X5TS256 string `json:"x5t_s256"`
		}
	}
	readVectors(t, "certificate_hash.json", &file)
	for _, vector := range file.Certificates {
		thumbprint, err := CertificateThumbprint([]byte(vector.PEM))
		equal(t, err, nil)
		equal(t, thumbprint, vector.X5TS256)
	}
}
