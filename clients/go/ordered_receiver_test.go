package sabika

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"
)

func orderedReceiver(handle func(int64) error) *OrderedReceiver {
	return &OrderedReceiver{
		Secrets:  []string{webhookSecret},
		Handle:   func(_ context.Context, event Event) error { return handle(event.Sequence) },
		Sequence: &SequenceInMemory{},
		Patience: time.Minute,
		Now:      func() time.Time { return time.Unix(webhookNow, 0) },
	}
}

func deliverNumber(t *testing.T, receiver http.Handler, number int64) int {
	t.Helper()
	id := fmt.Sprintf("evt_%d", number)
	body := fmt.Sprintf(`{"id":"%s","type":"ping","sequence":%d,"data":{"object":{}}}`, id, number)
	return deliver(t, receiver, id, webhookSecret, body, body)
}

func TestAnEventWaitsForAnEarlierOneThatComesMeanwhile(t *testing.T) {
	var done []int64
	receiver := orderedReceiver(func(number int64) error {
		done = append(done, number)
		return nil
	})
	answer := make(chan int)
	go func() { answer <- deliverNumber(t, receiver, 2) }()
	equal(t, deliverNumber(t, receiver, 1), 204)
	equal(t, <-answer, 204)
	equal(t, slices.Equal(done, []int64{1, 2}), true)
	equal(t, deliverNumber(t, receiver, 1), 204)
	equal(t, len(done), 2)
}

func TestNoLaterEventIsHandledBeforeOneThatFailed(t *testing.T) {
	var done []int64
	attempts := 0
	receiver := orderedReceiver(func(number int64) error {
		if attempts++; attempts == 1 {
			return errors.New("the database is gone")
		}
		done = append(done, number)
		return nil
	})
	equal(t, deliverNumber(t, receiver, 1), 500)
	equal(t, deliverNumber(t, receiver, 1), 204)
	equal(t, deliverNumber(t, receiver, 2), 204)
	equal(t, slices.Equal(done, []int64{1, 2}), true)
	equal(t, deliver(t, receiver, "evt_3", otherSecret, webhookEvent, webhookEvent), 401)
}

func TestEventsThatNoWebhookDeliveredAreFetched(t *testing.T) {
	if os.Getenv("SABIKA_KIT") == "" {
		t.Skip("SABIKA_KIT names no kit of a running sandbox")
	}
	client := sandboxClient(t, openSandboxKit(t), Options{})
	for range 3 {
		must(client.Fund(t.Context(), FundRequest{Amount: 1_00}))(t)
	}
	var done []int64
	receiver := orderedReceiver(func(number int64) error {
		done = append(done, number)
		return nil
	})
	receiver.Events, receiver.Patience = client.Events, time.Nanosecond
	equal(t, deliverNumber(t, receiver, 4), 204)
	equal(t, slices.Equal(done, []int64{1, 2, 3, 4}), true)
	// There is no such event, and none before it.
	equal(t, deliverNumber(t, receiver, 1<<40), 500)
}
