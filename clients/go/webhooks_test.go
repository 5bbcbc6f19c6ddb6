package sabika

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	webhookSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	otherSecret   = "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH"
	webhookNow    = 1795167000
	webhookEvent  = `{"id":"evt_1","type":"order.executed","api_version":"v1","environment":"sandbox",` +
		`"sequence":2,"timestamp":"2026-11-20T09:30:00.000Z",` +
		`"data":{"object":{"id":"ord_1","total_sar":1039.11}}}`
)

// deliver sends a body to a receiver, signed with a secret.
func deliver(t *testing.T, receiver http.Handler, id, secret, body, sent string) int {
	t.Helper()
	timestamp := strconv.Itoa(webhookNow)
	signature, err := SignWebhook(secret, id, timestamp, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodPost, "/webhooks", strings.NewReader(sent))
	request.Header.Set("webhook-id", id)
	request.Header.Set("webhook-timestamp", timestamp)
	request.Header.Set("webhook-signature", signature)
	answer := httptest.NewRecorder()
	receiver.ServeHTTP(answer, request)
	return answer.Code
}

func receiverOf(handle func(context.Context, Event) error) *WebhookReceiver {
	return &WebhookReceiver{
		Secrets: []string{webhookSecret},
		Handle:  handle,
		Now:     func() time.Time { return time.Unix(webhookNow, 0) },
	}
}

func TestAnEventIsHandledOnceHoweverOftenItComes(t *testing.T) {
	var handled []Event
	receiver := receiverOf(func(_ context.Context, event Event) error {
		handled = append(handled, event)
		return nil
	})
	for range 3 {
		equal(t, deliver(t, receiver, "evt_1", webhookSecret, webhookEvent, webhookEvent), 204)
	}
	equal(t, len(handled), 1)
	order, err := handled[0].Order()
	equal(t, err, nil)
	equal(t, order.Total, 103911)
}

func TestAnEventWhoseHandlerFailsIsHandledWhenItComesAgain(t *testing.T) {
	attempts := 0
	receiver := receiverOf(func(context.Context, Event) error {
		attempts++
		if attempts == 1 {
			return errors.New("the database is away")
		}
		return nil
	})
	for _, status := range []int{500, 204, 204} {
		equal(t, deliver(t, receiver, "evt_1", webhookSecret, webhookEvent, webhookEvent), status)
	}
	equal(t, attempts, 2)
}

func TestADeliveryThatIsNotGenuineOrReadableIsNotHandled(t *testing.T) {
	receiver := receiverOf(func(context.Context, Event) error {
		t.Error("it was handled")
		return nil
	})
	equal(t, deliver(t, receiver, "evt_1", otherSecret, webhookEvent, webhookEvent), 401)
	equal(t, deliver(t, receiver, "evt_1", webhookSecret, webhookEvent, webhookEvent+" "), 401)
	equal(t, deliver(t, receiver, "evt_2", webhookSecret, webhookEvent, webhookEvent), 400)
	equal(t, deliver(t, receiver, "evt_1", webhookSecret, "[]", "[]"), 400)
	long := strings.Repeat(" ", webhookBytesMax+1)
	equal(t, deliver(t, receiver, "evt_1", webhookSecret, long, long), 400)
	answer := httptest.NewRecorder()
	receiver.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/webhooks", nil))
	equal(t, answer.Code, 405)
}

func TestTheMemoryOfEventsDoesNotGrowForEver(t *testing.T) {
	seen := &SeenInMemory{}
	for number := range remembered + 1 {
		equal(t, seen.Add(t.Context(), strconv.Itoa(number)), nil)
	}
	for id, expected := range map[string]bool{"0": false, "1": true} {
		has, err := seen.Has(t.Context(), id)
		equal(t, err, nil)
		equal(t, has, expected)
	}
}
