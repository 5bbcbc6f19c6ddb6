package sabika

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// SequenceStore stores the number of the next event, in production in a table. Events are numbered without
// gaps, so events with smaller numbers are repeats.
type SequenceStore interface {
	// Next reads the number of the next event.
	Next(ctx context.Context) (int64, error)
	// Step does the work for the event with this number and stores the next number: both or neither. The
	// context of work may carry the transaction. It returns false, and does nothing, if this is not the next
	// event. In SQL, in one transaction: update receivers set next = next + 1 where name = … and next = …, and
	// the work if it changed a row.
	Step(ctx context.Context, sequence int64, work func(context.Context) error) (bool, error)
}

// SequenceInMemory keeps the number in memory until the program ends, for trials; it begins with event 1.
type SequenceInMemory struct{ handled int64 }

// Next returns the number of the next event.
func (s *SequenceInMemory) Next(context.Context) (int64, error) { return s.handled + 1, nil }

// Step does the work, unless this is not the next event.
func (s *SequenceInMemory) Step(ctx context.Context, sequence int64, work func(context.Context) error) (bool, error) {
	if sequence != s.handled+1 {
		return false, nil
	}
	if err := work(ctx); err != nil {
		return false, err
	}
	s.handled++
	return true, nil
}

// OrderedReceiver is an http.Handler like WebhookReceiver, which handles each event once and in sequence:
// repeats are acknowledged and dropped, early events wait for earlier ones, and what is missing is fetched. If
// Handle fails, no later event is handled until this one succeeds.
type OrderedReceiver struct {
	// Secrets that may have signed; two during a rotation.
	Secrets []string
	// Handle handles an event; its context is that of the step of Sequence.
	Handle   func(ctx context.Context, event Event) error
	Sequence SequenceStore
	// Events lists what no webhook delivered: client.Events.
	Events func(EventFilter) *Pages[Event]
	// Patience is how long to wait for earlier events before fetching them; 200 ms when zero.
	Patience time.Duration
	// Now is time.Now when nil.
	Now func() time.Time

	turn    sync.Mutex
	fetched map[int64]Event

	mutex sync.Mutex
	// held has delivered events that wait for their turn, by number; comes is closed when another one comes.
	held  map[int64]Event
	comes chan struct{}
}

// ServeHTTP receives a delivery.
func (r *OrderedReceiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	event, status := readDelivery(w, request, r.Secrets, r.Now)
	if status == http.StatusOK {
		r.hold(event)
		defer r.release(event.Sequence)
		status = http.StatusNoContent
		if err := r.handleUntil(request.Context(), event.Sequence); err != nil {
			status = http.StatusInternalServerError
		}
	}
	w.WriteHeader(status)
}

func (r *OrderedReceiver) hold(event Event) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.held == nil {
		r.held = map[int64]Event{}
	}
	r.held[event.Sequence] = event
	if r.comes != nil {
		close(r.comes)
		r.comes = nil
	}
}

func (r *OrderedReceiver) release(sequence int64) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.held, sequence)
}

// handleUntil handles all events up to one, which may have been handled before.
func (r *OrderedReceiver) handleUntil(ctx context.Context, last int64) error {
	r.turn.Lock()
	defer r.turn.Unlock()
	for {
		number, err := r.Sequence.Next(ctx)
		if err != nil || number > last {
			return err
		}
		event, err := r.find(ctx, number)
		if err != nil {
			return err
		}
		work := func(ctx context.Context) error { return r.Handle(ctx, event) }
		// False: another process has handled it.
		if _, err := r.Sequence.Step(ctx, number, work); err != nil {
			return err
		}
		delete(r.fetched, number)
	}
}

func (r *OrderedReceiver) find(ctx context.Context, number int64) (Event, error) {
	if event, ok := r.fetched[number]; ok {
		return event, nil
	}
	patience := time.NewTimer(cmp.Or(r.Patience, 200*time.Millisecond))
	defer patience.Stop()
	for isLate := false; !isLate; {
		event, found, comes := r.look(number)
		if found {
			return event, nil
		}
		select {
		case <-comes:
		case <-patience.C:
			isLate = true
		case <-ctx.Done():
			return Event{}, ctx.Err()
		}
	}
	return r.fetch(ctx, number)
}

// look returns a delivered event, or what is closed when another one comes.
func (r *OrderedReceiver) look(number int64) (Event, bool, <-chan struct{}) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	event, found := r.held[number]
	if r.comes == nil {
		r.comes = make(chan struct{})
	}
	return event, found, r.comes
}

// fetch asks the service for the events from a number up to the next delivered one.
func (r *OrderedReceiver) fetch(ctx context.Context, number int64) (Event, error) {
	limit := int64(100)
	r.mutex.Lock()
	for sequence := range r.held {
		if sequence > number {
			limit = min(limit, sequence-number)
		}
	}
	r.mutex.Unlock()
	after := number - 1
	page, err := r.Events(EventFilter{AfterSequence: &after, Limit: int(limit)}).Page(ctx, "")
	if err != nil {
		return Event{}, err
	}
	r.fetched = map[int64]Event{}
	for _, event := range page.Data {
		r.fetched[event.Sequence] = event
	}
	event, found := r.fetched[number]
	if !found {
		return Event{}, fmt.Errorf("the service has no event %d", number)
	}
	return event, nil
}
