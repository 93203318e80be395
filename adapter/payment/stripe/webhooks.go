package stripe

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"
)

// SignatureHeader carries the processor's signature of a webhook.
const SignatureHeader = "Stripe-Signature"

const (
	tolerance     = 5 * time.Minute
	maxHeader     = 4 << 10 // bytes
	maxSignatures = 16      // the processor sends one per secret, at most two
)

// Webhooks implements billing.Webhooks. After the signature is verified, it decodes events of every
// API version by the few fields that it needs.
type Webhooks struct{ secrets []string }

var _ billing.Webhooks = Webhooks{}

func newWebhooks(secrets []string) (Webhooks, error) {
	for _, s := range secrets {
		if s == "" {
			return Webhooks{}, errors.New("a signing secret of the payment webhook is empty; set it to the processor's signing secret")
		}
	}
	return Webhooks{secrets}, nil
}

// Verify implements billing.Webhooks.
func (w Webhooks) Verify(header map[string][]string, body []byte, now time.Time) (billing.PaymentEvent, error) {
	values := http.Header(header).Values(SignatureHeader)
	if len(values) != 1 {
		return billing.PaymentEvent{}, badSignature("exactly one " + SignatureHeader + " header is required")
	}
	signed, err := parseSignature(values[0])
	if err != nil {
		return billing.PaymentEvent{}, badSignature(err.Error())
	}
	if age := now.Sub(time.Unix(signed.seconds, 0)); age > tolerance || age < -tolerance {
		return billing.PaymentEvent{}, badSignature("its time differs from the current time by more than five minutes")
	}
	if !w.fits(signed, body) {
		return billing.PaymentEvent{}, badSignature("no configured signing secret matches")
	}
	return w.Read(body)
}

// Read implements billing.Webhooks.
func (w Webhooks) Read(body []byte) (billing.PaymentEvent, error) {
	var event wireEvent
	if err := json.Unmarshal(body, &event); err != nil {
		return partial(body), notAnEvent("it is not an event in JSON")
	}
	return readEvent(event)
}

// partial returns the id and type of a body that is not a complete event, if present, so the
// operator can find the event at the processor.
func partial(body []byte) billing.PaymentEvent {
	var event fields
	if err := json.Unmarshal(body, &event); err != nil {
		return billing.PaymentEvent{}
	}
	return billing.PaymentEvent{ID: read[string](event, "id"), Type: billing.EventType(read[string](event, "type"))}
}

func (w Webhooks) fits(s signature, body []byte) bool {
	for _, secret := range w.secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(s.timestamp + "."))
		mac.Write(body)
		sum := mac.Sum(nil)
		for _, claimed := range s.v1 {
			if hmac.Equal(sum, claimed) {
				return true
			}
		}
	}
	return false
}

// signature is a parsed header. The timestamp is also kept as text, because the signature covers
// the bytes as sent.
type signature struct {
	timestamp string
	seconds   int64
	v1        [][]byte
}

// parseSignature parses `t=1492774577,v1=<hex>[,v1=<hex>…]`. It skips other schemes and signatures
// that are not hexadecimal.
func parseSignature(header string) (signature, error) {
	var s signature
	if len(header) > maxHeader {
		return s, errors.New("the header is too long")
	}
	for part := range strings.SplitSeq(header, ",") {
		scheme, value, found := strings.Cut(strings.TrimSpace(part), "=")
		if !found {
			return s, errors.New("the header is not a list of key=value pairs")
		}
		switch scheme {
		case "t":
			if s.timestamp != "" {
				return s, errors.New("the header has two timestamps")
			}
			seconds, err := strconv.ParseUint(value, 10, 40)
			if err != nil {
				return s, errors.New("the timestamp is not a number")
			}
			s.timestamp, s.seconds = value, int64(seconds)
		case "v1":
			if sum, err := hex.DecodeString(value); err == nil && len(sum) == sha256.Size {
				s.v1 = append(s.v1, sum)
			}
		}
	}
	switch {
	case s.timestamp == "":
		return s, errors.New("the header has no timestamp")
	case len(s.v1) == 0:
		return s, errors.New("the header has no v1 signature")
	case len(s.v1) > maxSignatures:
		return s, errors.New("the header has too many signatures")
	}
	return s, nil
}

func badSignature(reason string) error {
	return fault.New(fault.Invalid, fault.CodeInvalidSignature, "The webhook's signature is not valid: %s.", reason)
}

func notAnEvent(reason string) error {
	return fault.New(fault.Invalid, fault.CodeInvalidRequest, "The webhook's body is not valid: %s.", reason)
}
