package sabika

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"
)

// knownKey signs receipts and reserves; role and holder are those of an inspector or auditor.
type knownKey struct {
	id, x, y     string
	validUntil   *time.Time
	role, holder string
}

var roleForm = regexp.MustCompile(`^(inspector|auditor)$`)

func readKeys(text []byte, haveRoles bool) (keys []knownKey, err error) {
	err = readStrict(text, func(o object) {
		for _, item := range o.list("keys") {
			members := o.reader.object(item)
			members.time("valid_from")
			key := knownKey{
				id: members.text("kid"), x: members.text("x"), y: members.text("y"),
				validUntil: members.timeOrNil("valid_until"),
			}
			if haveRoles {
				key.role = o.reader.text(members.members["role"], roleForm)
				key.holder = members.text("holder")
			}
			keys = append(keys, key)
		}
	})
	return keys, err
}

// publicKey returns nil unless the key is on P-256 and has its own thumbprint: a name could be given to any key.
func (k knownKey) publicKey() *ecdsa.PublicKey {
	x, okX := decodeBase64URL(k.x)
	y, okY := decodeBase64URL(k.y)
	if !okX || !okY || len(x) != 32 {
		return nil
	}
	if _, err := ecdh.P256().NewPublicKey(slices.Concat([]byte{4}, x, y)); err != nil {
		return nil
	}
	key := &ecdsa.PublicKey{
		Curve: elliptic.P256(), X: new(big.Int).SetBytes(x), Y: new(big.Int).SetBytes(y),
	}
	if thumbprint, err := Thumbprint(key); err != nil || thumbprint != k.id {
		return nil
	}
	return key
}

// openSigned returns the payload of a compact JWS and the published key that signed it, or what is wrong.
func openSigned(jws, typ string, keys []knownKey) (payload []byte, key knownKey, fault string) {
	segments := strings.Split(jws, ".")
	if len(segments) != 3 {
		return nil, key, "malformed"
	}
	header, duplicate, refused := headerMembers(segments[0], "alg", "kid", "typ")
	if refused != "" {
		return nil, key, "malformed"
	}
	if header["alg"] != "ES256" {
		return nil, key, "wrong_algorithm"
	}
	keyID, _ := header["kid"].(string)
	payload, ok := decodeBase64URL(segments[1])
	r, s, refused := decodeSignature(segments[2])
	if !keyIDForm.MatchString(keyID) || header["typ"] != typ || duplicate || !ok || refused != "" {
		return nil, key, "malformed"
	}
	at := slices.IndexFunc(keys, func(key knownKey) bool { return key.id == keyID })
	if at < 0 {
		return nil, key, "unknown_key"
	}
	public := keys[at].publicKey()
	if public == nil {
		return nil, key, "unknown_key"
	}
	hash := sha256.Sum256([]byte(segments[0] + "." + segments[1]))
	if !ecdsa.Verify(public, hash[:], r, s) {
		return nil, key, "altered"
	}
	return payload, keys[at], ""
}

func sha256Hex(bytes []byte) string {
	hash := sha256.Sum256(bytes)
	return hex.EncodeToString(hash[:])
}
