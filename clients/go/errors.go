package sabika

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Error is the error of a failed call, unless the call's context has ended.
//
// Code is stable: one of the service (docs/partner.md), of its token endpoint (RFC 6749), or of this
// client: connection_failed, request_timed_out, signer_failed, unexpected_answer. Retryable says that the same
// call may succeed later. A write that is repeated with IdempotencyKey is executed at most once.
type Error struct {
	Code string `json:"code"`
	// Status is 0 if no answer came.
	Status         int           `json:"-"`
	Title          string        `json:"title"`
	Detail         string        `json:"detail"`
	Retryable      bool          `json:"retryable"`
	RequestID      string        `json:"request_id"`
	RetryAfter     time.Duration `json:"-"`
	IdempotencyKey string        `json:"-"`
	// Meta has further values that belong to the code; its numbers are json.Number.
	Meta map[string]any `json:"meta"`
	// Errors names each wrong member of the request.
	Errors []FieldError `json:"errors"`
	// Diagnosis says what is wrong with the signature of a refused probe.
	Diagnosis *Diagnosis `json:"diagnosis"`

	cause error
}

// FieldError says what is wrong with one member; Pointer is a JSON Pointer.
type FieldError struct{ Pointer, Code, Message string }

// Diagnosis names the common mistake that explains a signature.
type Diagnosis struct{ Form, Message string }

func (e *Error) Error() string {
	words := e.Detail
	if words == "" {
		words = e.Title
	}
	if e.RequestID == "" {
		return fmt.Sprintf("%s: %s", e.Code, words)
	}
	return fmt.Sprintf("%s: %s (request %s)", e.Code, words, e.RequestID)
}

// ErrorCode is a code as an error, for errors.Is.
type ErrorCode string

func (c ErrorCode) Error() string { return string(c) }

// Is returns whether the target is the error's ErrorCode.
func (e *Error) Is(target error) bool { return target == error(ErrorCode(e.Code)) }

func (e *Error) Unwrap() error { return e.cause }

// readRefusal makes the error for an answer other than 2xx.
func readRefusal(status int, header http.Header, body []byte) *Error {
	refusal := &Error{}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if decoder.Decode(refusal) != nil || refusal.Code == "" {
		refusal = readOtherRefusal(status, body)
	}
	refusal.Status = status
	if refusal.RequestID == "" {
		refusal.RequestID = header.Get("X-Request-Id")
	}
	if seconds, err := strconv.ParseUint(header.Get("Retry-After"), 10, 31); err == nil {
		refusal.RetryAfter = time.Duration(seconds) * time.Second
	}
	return refusal
}

// readOtherRefusal reads an answer of the token endpoint (RFC 6749 §5.2), or of a proxy in between.
func readOtherRefusal(status int, body []byte) *Error {
	retryable := status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
	var oauth struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(body, &oauth) == nil && oauth.Error != "" {
		return &Error{Code: oauth.Error, Detail: oauth.Description, Retryable: retryable}
	}
	detail := fmt.Sprintf("the answer (HTTP %d) is not of this API; is a proxy in between?", status)
	return &Error{Code: "unexpected_answer", Detail: detail, Retryable: retryable}
}

// leavesUnknown has the codes after which it is unknown whether the write was executed.
var leavesUnknown = map[string]bool{
	"outcome_unknown": true, "internal_error": true, "connection_failed": true,
	"request_timed_out": true, "unexpected_answer": true,
}

// saysEnough has the codes that hold for every attempt under the key, not only for the last one.
var saysEnough = map[string]bool{
	"idempotency_key_conflict": true, "outcome_unknown": true, "connection_failed": true,
	"request_timed_out": true, "unexpected_answer": true,
}

// stillUnknown makes the error for a refused repeat. The refusal says nothing about earlier attempts, which
// may have been executed, unless the service has found the key.
func stillUnknown(refusal *Error) *Error {
	open := *refusal
	open.Code, open.Title, open.Retryable = "outcome_unknown", "", true
	open.cause = refusalBehind{refusal}
	open.Detail = "an earlier attempt may have been carried out; repeat with the same Idempotency-Key"
	return &open
}

// refusalBehind is the refusal of a repeat. errors.As finds it, but not errors.Is: its code says nothing about
// the call.
type refusalBehind struct{ refusal *Error }

func (r refusalBehind) Error() string { return r.refusal.Error() }

func (r refusalBehind) As(target any) bool {
	found, ok := target.(**Error)
	if ok {
		*found = r.refusal
	}
	return ok
}
