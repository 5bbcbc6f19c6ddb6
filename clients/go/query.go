package sabika

import (
	"net/url"
	"strconv"
	"time"
)

// formatTime writes a time as the service takes it: in UTC, to the millisecond.
func formatTime(when time.Time) string { return when.UTC().Format("2006-01-02T15:04:05.000Z") }

// set adds a value to a query, unless it is empty.
func set(values url.Values, name, value string) {
	if value != "" {
		values.Set(name, value)
	}
}

func timeText(when time.Time) string {
	if when.IsZero() {
		return ""
	}
	return formatTime(when)
}

func countText(count int) string {
	if count == 0 {
		return ""
	}
	return strconv.Itoa(count)
}

func sequenceText(sequence *int64) string {
	if sequence == nil {
		return ""
	}
	return strconv.FormatInt(*sequence, 10)
}

func withQuery(path string, values url.Values) string {
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}
