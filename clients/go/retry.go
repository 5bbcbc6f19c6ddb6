package sabika

import (
	"context"
	"math/rand/v2"
	"time"
)

// Retry says how often a call is tried and how long to pause in between. A zero field takes the value of
// DefaultRetry.
type Retry struct {
	// Attempts is the total, including the first.
	Attempts int
	// FirstDelay is the pause after the first failure, before jitter.
	FirstDelay time.Duration
	// LongestDelay caps each pause. A call whose Retry-After is longer is not retried.
	LongestDelay time.Duration
}

// DefaultRetry is six attempts within about six seconds.
var DefaultRetry = Retry{Attempts: 6, FirstDelay: 200 * time.Millisecond, LongestDelay: 5 * time.Second}

func (r Retry) withDefaults() Retry {
	if r.Attempts == 0 {
		r.Attempts = DefaultRetry.Attempts
	}
	if r.FirstDelay == 0 {
		r.FirstDelay = DefaultRetry.FirstDelay
	}
	if r.LongestDelay == 0 {
		r.LongestDelay = DefaultRetry.LongestDelay
	}
	return r
}

// pause returns how long to wait after a failed attempt: it doubles, has equal jitter (half is random), and
// is never below Retry-After. It returns false when the call is not to be retried.
func (r Retry) pause(attempt int, failure *Error) (time.Duration, bool) {
	// The clock was corrected once already; another attempt would be refused too.
	isFinal := !failure.Retryable || failure.Code == "timestamp_out_of_window"
	if isFinal || attempt >= r.Attempts || failure.RetryAfter > r.LongestDelay {
		return 0, false
	}
	return max(r.jittered(attempt), failure.RetryAfter), true
}

// jittered returns the pause after so many failures in a row.
func (r Retry) jittered(failures int) time.Duration {
	full := r.FirstDelay
	for n := 1; n < failures && full < r.LongestDelay; n++ {
		full *= 2
	}
	full = min(full, r.LongestDelay)
	return full/2 + time.Duration(rand.Int64N(int64(full/2)+1))
}

// sleep waits for the pause, or returns the context's error if the context ends first.
func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
