package sabika

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"
)

// silence is how long a stream may be silent: four heartbeats of the service.
const silence = time.Minute

// streamEvents opens a stream, and again behind the last event whenever it ends.
func (c *Client) streamEvents(ctx context.Context, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for failures := 0; ; failures++ {
			if failures > 0 {
				if err := c.options.Sleep(ctx, c.options.Retry.jittered(failures)); err != nil {
					yield(Event{}, err)
					return
				}
			}
			err := c.readStream(ctx, after, func(event Event) bool {
				failures = 0
				if event.Sequence <= after {
					return true
				}
				after = event.Sequence
				return yield(event, nil)
			})
			var failure *Error
			switch {
			case err == errStopped:
				return
			case ctx.Err() != nil:
				yield(Event{}, ctx.Err())
				return
			case errors.As(err, &failure) && !failure.Retryable:
				yield(Event{}, err)
				return
			}
		}
	}
}

// errStopped says that nobody iterates any more.
var errStopped = errors.New("the iteration was left")

// readStream hands the events of one stream to handle, until that returns false or the stream ends.
func (c *Client) readStream(ctx context.Context, after int64, handle func(Event) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Ending the context also ends a pending read.
	silent := time.AfterFunc(silence, cancel)
	defer silent.Stop()
	var body io.ReadCloser
	connection := c.current.Load()
	path := "/v1/events/stream?after_sequence=" + strconv.FormatInt(after, 10)
	call := call{method: "GET", path: path, accept: "text/event-stream", token: true}
	if err := c.send(ctx, call, &body); err != nil {
		return err
	}
	defer body.Close()
	name, data := "", []string{}
	lines := bufio.NewReader(body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		silent.Reset(silence)
		line = strings.TrimRight(line, "\r\n")
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case field == "event":
			name = value
		case field == "data":
			data = append(data, value)
		case line == "" && len(data) > 0:
			// Another message says that the service ends the stream.
			if name != "" && name != "message" {
				return nil
			}
			var event Event
			if err := json.Unmarshal([]byte(strings.Join(data, "\n")), &event); err != nil {
				detail := "the stream of events is not of the promised form"
				return &Error{Code: "unexpected_answer", Detail: detail, cause: err}
			}
			if !handle(event) {
				return errStopped
			}
			name, data = "", nil
		}
		if connection != c.current.Load() {
			return nil // Reload: it is opened again with the new certificate.
		}
	}
}
