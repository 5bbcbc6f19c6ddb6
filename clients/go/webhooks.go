package sabika

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// WebhookTolerance is how far webhook-timestamp may be from the receiver's clock, inclusive.
const WebhookTolerance = 300 * time.Second

const (
	webhookBytesMax = 1 << 20
	remembered      = 10_000
)

// WebhookRefused says why a delivery does not verify: a name of docs/vectors/webhook.json.
type WebhookRefused string

func (r WebhookRefused) Error() string { return string(r) }

// ErrWebhookSecret is returned for a secret that is not whsec_ and base64.
var ErrWebhookSecret = errors.New("a webhook secret must be whsec_ and base64")

// SignWebhook returns a signature, "v1,<base64>", or ErrWebhookSecret (Standard Webhooks; Decision D33).
func SignWebhook(secret, id, timestamp string, body []byte) (string, error) {
	mac, err := webhookMAC(secret, id, timestamp, body)
	return "v1," + base64.StdEncoding.EncodeToString(mac), err
}

// VerifyWebhook verifies a delivery over its raw body: one of its signatures must fit one of the secrets
// (two during a rotation). The error is a WebhookRefused or ErrWebhookSecret.
func VerifyWebhook(secrets []string, header http.Header, body []byte, now time.Time) error {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	signatures := header.Get("webhook-signature")
	if id == "" || timestamp == "" || signatures == "" {
		return WebhookRefused("header_missing")
	}
	if !timestampForm.MatchString(timestamp) {
		return WebhookRefused("timestamp_invalid")
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return WebhookRefused("timestamp_invalid")
	}
	if time.Duration(now.Unix()-seconds).Abs() > WebhookTolerance/time.Second {
		return WebhookRefused("timestamp_out_of_window")
	}
	fits := false
	for _, secret := range secrets {
		expected, err := webhookMAC(secret, id, timestamp, body)
		if err != nil {
			return err
		}
		for _, part := range strings.Split(signatures, " ") {
			encoded, isV1 := strings.CutPrefix(part, "v1,")
			signature, ok := decodeBase64(encoded)
			// hmac.Equal takes the same time wherever the values differ.
			fits = isV1 && ok && hmac.Equal(signature, expected) || fits
		}
	}
	if !fits {
		return WebhookRefused("signature_mismatch")
	}
	return nil
}

func webhookMAC(secret, id, timestamp string, body []byte) ([]byte, error) {
	encoded, found := strings.CutPrefix(secret, "whsec_")
	key, ok := decodeBase64(encoded)
	if !found || !ok || len(key) == 0 {
		return nil, ErrWebhookSecret
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return mac.Sum(nil), nil
}

func decodeBase64(text string) ([]byte, bool) {
	data, err := base64.StdEncoding.DecodeString(text)
	return data, err == nil && base64.StdEncoding.EncodeToString(data) == text
}

// Event is a delivered event. Ignore unknown types: new ones may be added.
type Event struct {
	ID          string    `json:"id"`
	Type        string    `json:"type"`
	Environment string    `json:"environment"`
	Sequence    int64     `json:"sequence"`
	Timestamp   time.Time `json:"timestamp"`
	Data        struct {
		// Object is the order, funding or withdrawal; null in a ping.
		Object json.RawMessage `json:"object"`
	} `json:"data"`
	// Delivery says how far its delivery is; nil in a webhook.
	Delivery *EventDelivery `json:"delivery"`
}

// Order reads the order of an order.executed event.
func (e Event) Order() (Order, error) {
	var order Order
	err := json.Unmarshal(e.Data.Object, &order)
	return order, err
}

// Seen remembers which events were handled. In production use a table with a unique column, written in
// the transaction of the event's effect.
type Seen interface {
	Has(ctx context.Context, id string) (bool, error)
	Add(ctx context.Context, id string) error
}

// SeenInMemory remembers the last ten thousand ids in memory, for trials. It serves one
// WebhookReceiver.
type SeenInMemory struct {
	ids    map[string]bool
	oldest []string
}

// Has returns whether the event was handled.
func (s *SeenInMemory) Has(_ context.Context, id string) (bool, error) { return s.ids[id], nil }

// Add records that the event was handled.
func (s *SeenInMemory) Add(_ context.Context, id string) error {
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	s.ids[id] = true
	s.oldest = append(s.oldest, id)
	if len(s.oldest) > remembered {
		delete(s.ids, s.oldest[0])
		s.oldest = s.oldest[1:]
	}
	return nil
}

// WebhookReceiver is an http.Handler: it verifies deliveries over the raw body, handles each event once, and
// answers 204 (handled, now or before), 400 (not an event), 401 (not genuine), 405 (not a POST), or 500 if
// Handle or Seen failed: the event is then delivered again later. Events are handled one after another.
type WebhookReceiver struct {
	// Secrets that may have signed; two during a rotation.
	Secrets []string
	Handle  func(context.Context, Event) error
	// Seen is a SeenInMemory if nil.
	Seen Seen
	// Now is time.Now when nil.
	Now func() time.Time

	mutex sync.Mutex
}

func (r *WebhookReceiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	event, status := readDelivery(w, request, r.Secrets, r.Now)
	if status == http.StatusOK {
		status = r.handleOnce(request.Context(), event)
	}
	w.WriteHeader(status)
}

// readDelivery verifies and reads a delivery; it returns 200, or the status to answer if it is none.
func readDelivery(
	w http.ResponseWriter, request *http.Request, secrets []string, now func() time.Time,
) (event Event, status int) {
	if request.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return event, http.StatusMethodNotAllowed
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, webhookBytesMax))
	if err != nil {
		return event, http.StatusBadRequest
	}
	if now == nil {
		now = time.Now
	}
	if err := VerifyWebhook(secrets, request.Header, body, now()); err != nil {
		return event, http.StatusUnauthorized
	}
	// The signature covers the id in the header, which must be that of the event in the body.
	err = json.Unmarshal(body, &event)
	if err != nil || event.ID != request.Header.Get("webhook-id") {
		return event, http.StatusBadRequest
	}
	return event, http.StatusOK
}

func (r *WebhookReceiver) handleOnce(ctx context.Context, event Event) int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.Seen == nil {
		r.Seen = &SeenInMemory{}
	}
	seen, err := r.Seen.Has(ctx, event.ID)
	if err == nil && !seen {
		if err = r.Handle(ctx, event); err == nil {
			err = r.Seen.Add(ctx, event.ID)
		}
	}
	if err != nil {
		return http.StatusInternalServerError
	}
	return http.StatusNoContent
}
