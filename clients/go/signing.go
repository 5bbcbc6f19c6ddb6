package sabika

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// SignedRequest has the signed parts of a request (Specification §5 Signed requests).
type SignedRequest struct {
	Method string
	// URL is the absolute URL exactly as it is sent.
	URL  string
	Body []byte
	// Timestamp is Unix time in seconds, the value of X-Timestamp.
	Timestamp string
	// Nonce is 16 to 128 visible ASCII characters that were never used before.
	Nonce string
}

// ErrLineFeed is returned for parts with a line feed: another request could have the same string.
var ErrLineFeed = errors.New("line_feed")

var (
	timestampForm = regexp.MustCompile(`^[1-9][0-9]{0,10}$`)
	nonceForm     = regexp.MustCompile(`^[\x21-\x7e]{16,128}$`)
	keyIDForm     = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)
	headerText    = regexp.MustCompile(`^[\t\n\r\x20-\x5b\x5d-\x7e]*$`)
)

// CanonicalString returns the five lines that are signed, or ErrLineFeed.
func (r SignedRequest) CanonicalString() (string, error) {
	hash := sha256.Sum256(r.Body)
	parts := []string{r.Method, r.URL, hex.EncodeToString(hash[:]), r.Timestamp, r.Nonce}
	for _, part := range parts {
		if strings.Contains(part, "\n") {
			return "", ErrLineFeed
		}
	}
	return strings.Join(parts, "\n"), nil
}

// Sign returns X-JWS-Signature, with key and keyID as in SignDetached. Errors are ErrLineFeed,
// timestamp_invalid, nonce_invalid, and those of SignDetached.
func (r SignedRequest) Sign(key crypto.Signer, keyID string) (string, error) {
	if !timestampForm.MatchString(r.Timestamp) {
		return "", errors.New("timestamp_invalid")
	}
	if !nonceForm.MatchString(r.Nonce) {
		return "", errors.New("nonce_invalid")
	}
	canonical, err := r.CanonicalString()
	if err != nil {
		return "", err
	}
	return SignDetached(canonical, key, keyID)
}

// SignDetached signs a payload to a detached ES256 JWS with unencoded payload, "<header>..<signature>"
// (RFC 7797; Decision D22). key is an *ecdsa.PrivateKey for P-256, or signs in an HSM or a KMS; the error
// may be its own. keyID is the RFC 7638 thumbprint of the key, unchecked; without a kid if empty.
func SignDetached(payload string, key crypto.Signer, keyID string) (string, error) {
	header := `{"alg":"ES256","b64":false,"crit":["b64"]}`
	if keyID != "" {
		header = fmt.Sprintf(`{"alg":"ES256","b64":false,"crit":["b64"],"kid":%q}`, keyID)
	}
	protected := base64.RawURLEncoding.EncodeToString([]byte(header))
	hash := sha256.Sum256([]byte(protected + "." + payload))
	der, err := key.Sign(rand.Reader, hash[:], crypto.SHA256)
	if err != nil {
		return "", err
	}
	signature, err := joinDER(der)
	if err != nil {
		return "", err
	}
	return protected + ".." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// joinDER returns r‖s of an ECDSA signature in DER, which is what a crypto.Signer returns (RFC 7518 §3.4).
func joinDER(der []byte) ([]byte, error) {
	var signature struct{ R, S *big.Int }
	rest, err := asn1.Unmarshal(der, &signature)
	if err != nil || len(rest) > 0 {
		return nil, errors.New("the signer returned no ECDSA signature in DER")
	}
	for _, number := range []*big.Int{signature.R, signature.S} {
		if number.Sign() <= 0 || number.BitLen() > 256 {
			return nil, errors.New("the signer's key is not for P-256")
		}
	}
	joined := make([]byte, 64)
	signature.R.FillBytes(joined[:32])
	signature.S.FillBytes(joined[32:])
	return joined, nil
}

// SignatureRefused says why a JWS does not verify: a name of docs/vectors/jws.json.
type SignatureRefused string

func (r SignatureRefused) Error() string { return string(r) }

// VerifyDetached verifies a detached JWS as strictly as the service does. It returns the kid, empty if
// there is none. The error is a SignatureRefused.
func VerifyDetached(jws, payload string, key *ecdsa.PublicKey) (keyID string, err error) {
	segments := strings.Split(jws, ".")
	if len(segments) != 3 {
		return "", SignatureRefused("not_three_segments")
	}
	if segments[1] != "" {
		return "", SignatureRefused("payload_not_empty")
	}
	keyID, refused := readHeader(segments[0])
	if refused != "" {
		return "", refused
	}
	r, s, refused := decodeSignature(segments[2])
	if refused != "" {
		return "", refused
	}
	hash := sha256.Sum256([]byte(segments[0] + "." + payload))
	if !ecdsa.Verify(key, hash[:], r, s) {
		return "", SignatureRefused("signature_mismatch")
	}
	return keyID, nil
}

// decodeSignature decodes the last segment of a JWS.
func decodeSignature(segment string) (r, s *big.Int, refused SignatureRefused) {
	signature, ok := decodeBase64URL(segment)
	if !ok {
		return nil, nil, "signature_not_base64url"
	}
	if len(signature) != 64 {
		return nil, nil, "signature_length"
	}
	r, s = new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	order := elliptic.P256().Params().N
	if r.Sign() == 0 || s.Sign() == 0 || r.Cmp(order) >= 0 || s.Cmp(order) >= 0 {
		return nil, nil, "signature_out_of_range"
	}
	return r, s, ""
}

// readHeader reads a protected header: exactly alg, b64, crit, and perhaps kid (Decision D22).
func readHeader(segment string) (keyID string, refused SignatureRefused) {
	members, duplicate, refused := headerMembers(segment, "alg", "b64", "crit", "kid")
	if refused != "" {
		return "", refused
	}
	crit, _ := members["crit"].([]any)
	kid, named := members["kid"]
	keyID, _ = kid.(string)
	switch {
	case members["alg"] != "ES256":
		return "", "alg_not_es256"
	case members["b64"] != false:
		return "", "b64_not_false"
	case len(crit) != 1 || crit[0] != "b64":
		return "", "crit_not_b64"
	case named && !keyIDForm.MatchString(keyID):
		return "", "kid_malformed"
	case duplicate:
		return "", "header_member_duplicate"
	}
	return keyID, ""
}

// headerMembers reads a protected header whose members have only these names.
func headerMembers(segment string, names ...string) (
	members map[string]any, duplicate bool, refused SignatureRefused,
) {
	if len(segment) > 512 {
		return nil, false, "header_malformed"
	}
	text, ok := decodeBase64URL(segment)
	if !ok {
		return nil, false, "header_not_base64url"
	}
	// A valid header is plain ASCII without escapes; this also refuses a BOM.
	members, duplicate, ok = readMembers(text)
	if !headerText.Match(text) || !ok {
		return nil, false, "header_malformed"
	}
	for name := range members {
		if !slices.Contains(names, name) {
			return nil, false, "header_member_unknown"
		}
	}
	return members, duplicate, ""
}

// readMembers reads a JSON object and reports duplicate members, which json.Unmarshal does not.
func readMembers(text []byte) (members map[string]any, duplicate, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if start, err := decoder.Token(); !json.Valid(text) || err != nil || start != json.Delim('{') {
		return nil, false, false
	}
	members = map[string]any{}
	for decoder.More() {
		token, err := decoder.Token()
		name, isName := token.(string)
		var value any
		if err != nil || !isName || decoder.Decode(&value) != nil {
			return nil, false, false
		}
		_, isKnown := members[name]
		duplicate = duplicate || isKnown
		members[name] = value
	}
	return members, duplicate, true
}

// Thumbprint returns the RFC 7638 thumbprint of a P-256 key, the value of kid.
func Thumbprint(key *ecdsa.PublicKey) (string, error) {
	agreement, err := key.ECDH()
	if err != nil {
		return "", err
	}
	point := agreement.Bytes() // 0x04, x, y
	encode := base64.RawURLEncoding.EncodeToString
	members := fmt.Sprintf(`{"crv":"P-256","kty":"EC","x":%q,"y":%q}`, encode(point[1:33]), encode(point[33:]))
	hash := sha256.Sum256([]byte(members))
	return encode(hash[:]), nil
}

// CertificateThumbprint returns a certificate's x5t#S256 (RFC 8705 §3.1), to which tokens are bound.
func CertificateThumbprint(certificatePEM []byte) (string, error) {
	block, _ := pem.Decode(certificatePEM)
	if block == nil || block.Type != "CERTIFICATE" {
		return "", errors.New("not a PEM certificate")
	}
	hash := sha256.Sum256(block.Bytes)
	return base64.RawURLEncoding.EncodeToString(hash[:]), nil
}

// ParsePrivateKey reads a P-256 private key from PEM (PKCS #8).
func ParsePrivateKey(text []byte) (*ecdsa.PrivateKey, error) {
	parsed, err := parseKey(text)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || key.Curve != elliptic.P256() {
		return nil, errors.New("the key is not for P-256")
	}
	return key, nil
}

// ParsePublicKey reads a P-256 public key from PEM (SPKI).
func ParsePublicKey(text []byte) (*ecdsa.PublicKey, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PUBLIC KEY" {
		return nil, errors.New("not a PEM public key")
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	key, ok := parsed.(*ecdsa.PublicKey)
	if err != nil || !ok || key.Curve != elliptic.P256() {
		return nil, errors.New("the key is not for P-256")
	}
	return key, nil
}

// decodeBase64URL accepts only what the encoder writes; Go's decoder alone would ignore line ends.
func decodeBase64URL(text string) ([]byte, bool) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	return data, err == nil && base64.RawURLEncoding.EncodeToString(data) == text
}
