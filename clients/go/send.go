package sabika

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	userAgent   = "sabika-client-go/1.0.0"
	renewBefore = time.Minute
)

// call describes an API call, which may take several attempts.
type call struct {
	method, path, mediaType string
	accept                  string // JSON if it is empty
	body                    []byte
	token, signed           bool
	idempotencyKey          string
	alsoStatus              int
}

// rawAnswer is an answer that is not read as JSON.
type rawAnswer struct {
	status int
	body   []byte
}

// write sends a request with an Idempotency-Key, a new one if key is empty.
func (c *Client) write(ctx context.Context, path string, request any, key string, signed bool, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if key == "" {
		key = randomHex()
	}
	return c.send(ctx, call{
		method: "POST", path: path, mediaType: "application/json", body: body,
		token: true, signed: signed, idempotencyKey: key,
	}, answer)
}

// send carries out a call with as many attempts as the policy allows. Every attempt has its own
// timestamp, nonce and signature; all have the same key.
func (c *Client) send(ctx context.Context, call call, answer any) error {
	cured := map[string]bool{}
	unknown := false
	for attempt := 1; ; {
		connection := c.current.Load()
		token := ""
		var err error
		if call.token {
			token, err = c.accessToken(ctx, connection)
		}
		// Tokens are bound to certificates, and this one may have been fetched with the next kit's.
		if connection != c.current.Load() {
			continue
		}
		var failure *Error
		if err != nil {
			// It says nothing about earlier attempts, and has no key.
			if unknown && errors.As(err, &failure) {
				failure.IdempotencyKey = call.idempotencyKey
				return stillUnknown(failure)
			}
			return err
		}
		err = c.attempt(ctx, connection, call, token, answer)
		if !errors.As(err, &failure) {
			return err
		}
		refusal := failure
		if unknown && !saysEnough[refusal.Code] {
			failure = stillUnknown(refusal)
		}
		unknown = unknown || call.idempotencyKey != "" && leavesUnknown[failure.Code]
		if !cured[refusal.Code] && c.cure(refusal, connection, token) {
			cured[refusal.Code] = true
			continue
		}
		pause, again := c.options.Retry.pause(attempt, failure)
		if !again {
			return failure
		}
		if err := c.options.Sleep(ctx, pause); err != nil {
			return err
		}
		attempt++
	}
}

// cure removes the cause of a failure and returns true, if it can.
func (c *Client) cure(failure *Error, connection *connection, token string) bool {
	switch failure.Code {
	case "token_expired", "token_invalid":
		connection.tokenMutex.Lock()
		defer connection.tokenMutex.Unlock()
		if connection.token == token {
			connection.token = ""
		}
		return true
	case "timestamp_out_of_window":
		text, _ := failure.Meta["server_time"].(string)
		serverTime, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return false
		}
		c.clockOffset.Store(int64(serverTime.Sub(c.options.Now())))
		return true
	}
	return false
}

func (c *Client) attempt(
	ctx context.Context, connection *connection, call call, token string, answer any,
) error {
	attemptCtx, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(c.options.Timeout, cancel)
	stream, isStream := answer.(*io.ReadCloser)
	isOpen := false
	defer func() {
		timer.Stop()
		// A stream ends with the caller's context.
		if !isOpen {
			cancel()
		}
	}()
	request, err := c.request(attemptCtx, connection.kit, call, token)
	if err != nil {
		return err
	}
	response, err := connection.http.Do(request)
	if err == nil && isStream && response.StatusCode == http.StatusOK {
		isOpen, *stream = true, response.Body
		return nil
	}
	var body []byte
	if err == nil {
		defer response.Body.Close()
		body, err = io.ReadAll(response.Body)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failure := &Error{Code: "connection_failed", Detail: "no answer from " + connection.kit.BaseURL}
		if attemptCtx.Err() != nil {
			failure.Code = "request_timed_out"
		}
		failure.Retryable, failure.IdempotencyKey, failure.cause = true, call.idempotencyKey, err
		return failure
	}
	good := response.StatusCode >= 200 && response.StatusCode < 300
	if !good && response.StatusCode != call.alsoStatus {
		failure := readRefusal(response.StatusCode, response.Header, body)
		failure.IdempotencyKey = call.idempotencyKey
		return failure
	}
	if raw, ok := answer.(*rawAnswer); ok {
		raw.status, raw.body = response.StatusCode, body
		return nil
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return &Error{
			Code:           "unexpected_answer",
			Detail:         fmt.Sprintf("the answer to %s %s is not of the promised form", call.method, call.path),
			Status:         response.StatusCode,
			RequestID:      response.Header.Get("X-Request-Id"),
			IdempotencyKey: call.idempotencyKey,
			cause:          err,
		}
	}
	return nil
}

func (c *Client) request(ctx context.Context, kit *Kit, call call, token string) (*http.Request, error) {
	target := kit.BaseURL + call.path
	request, err := http.NewRequestWithContext(ctx, call.method, target, bytes.NewReader(call.body))
	if err != nil {
		return nil, err
	}
	// net/http would send a request with an Idempotency-Key again if a connection breaks, but the nonce is
	// valid only once.
	request.GetBody = nil
	request.Header.Set("Accept", cmp.Or(call.accept, "application/json"))
	request.Header.Set("User-Agent", userAgent)
	if call.mediaType != "" {
		request.Header.Set("Content-Type", call.mediaType)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if call.idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", call.idempotencyKey)
	}
	if !call.signed {
		return request, nil
	}
	now := c.options.Now().Add(time.Duration(c.clockOffset.Load()))
	signed := SignedRequest{
		Method:    call.method,
		URL:       target,
		Body:      call.body,
		Timestamp: strconv.FormatInt(now.Unix(), 10),
		Nonce:     randomHex(),
	}
	signature, err := signed.Sign(kit.SigningKey, kit.SigningKeyID)
	if err != nil {
		return nil, &Error{
			Code: "signer_failed", Detail: "the signing key did not sign, and nothing was sent",
			Retryable: true, IdempotencyKey: call.idempotencyKey, cause: err,
		}
	}
	request.Header.Set("X-Timestamp", signed.Timestamp)
	request.Header.Set("X-Nonce", signed.Nonce)
	request.Header.Set("X-JWS-Signature", signature)
	return request, nil
}

// accessToken returns the token, which is kept only in memory; one fetch at a time (Specification §5).
func (c *Client) accessToken(ctx context.Context, connection *connection) (string, error) {
	connection.tokenMutex.Lock()
	defer connection.tokenMutex.Unlock()
	askedAt := c.options.Now()
	if connection.token != "" && connection.tokenEnds.Sub(askedAt) > renewBefore {
		return connection.token, nil
	}
	form := url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {connection.kit.ClientID},
		"client_secret": {string(connection.kit.ClientSecret)},
	}
	var answer struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
	}
	err := c.send(ctx, call{
		method: "POST", path: "/oauth/token", body: []byte(form.Encode()),
		mediaType: "application/x-www-form-urlencoded",
	}, &answer)
	if err != nil {
		return "", err
	}
	connection.token = answer.AccessToken
	connection.tokenEnds = askedAt.Add(time.Duration(answer.ExpiresIn) * time.Second)
	return connection.token, nil
}

func randomHex() string {
	random := make([]byte, 16)
	rand.Read(random) // never fails, by its contract
	return hex.EncodeToString(random)
}
