package sabika

import (
	"context"
	"math/rand/v2"
	"time"
)

// Retry says how often and how patiently a call is repeated. What is zero is as in DefaultRetry.
type Retry struct {
	// Attempts in all, the first one included.
	Attempts   int
	FirstDelay time.Duration
	// LongestDelay: no pause is longer, and an answer that asks for a longer one is not waited for.
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

// pause doubles, half of it by chance, and is never under Retry-After; false: give up.
func (r Retry) pause(attempt int, failure *Error) (time.Duration, bool) {
	// A clock that was corrected and is refused again will not come right by itself.
	hopeless := !failure.Retryable || failure.Code == "timestamp_out_of_window"
	if hopeless || attempt >= r.Attempts || failure.RetryAfter > r.LongestDelay {
		return 0, false
	}
	full := r.FirstDelay
	for n := 1; n < attempt && full < r.LongestDelay; n++ {
		full *= 2
	}
	full = min(full, r.LongestDelay)
	return max(full/2+time.Duration(rand.Int64N(int64(full/2)+1)), failure.RetryAfter), true
}

// sleep waits, or returns the context's error as soon as it ends.
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
