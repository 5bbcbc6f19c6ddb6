package sabika

import "testing"

// textOf returns an error's text, or nil if there is no error.
func textOf(err error) *string {
	if err == nil {
		return nil
	}
	text := err.Error()
	return &text
}

func equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func equalRefusal(t *testing.T, got, want *string) {
	t.Helper()
	show := func(text *string) string {
		if text == nil {
			return "accepted"
		}
		return *text
	}
	equal(t, show(got), show(want))
}
