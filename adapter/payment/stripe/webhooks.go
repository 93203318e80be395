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
	maxSignatures = 16      // the processor sends one for each of its secrets, two at the most
)

// Webhooks implements billing.Webhooks. It reads events of every version of
// the interface in one way: by the few fields it needs, once the signature has
// held.
type Webhooks struct{ secrets []string }

var _ billing.Webhooks = Webhooks{}

func newWebhooks(secrets []string) (Webhooks, error) {
	for _, s := range secrets {
		if s == "" {
			return Webhooks{}, errors.New("a signing secret of the payment webhook is empty: everybody could sign")
		}
	}
	return Webhooks{secrets}, nil
}

// Verify implements billing.Webhooks.
func (w Webhooks) Verify(header map[string][]string, body []byte, now time.Time) (billing.PaymentEvent, error) {
	values := http.Header(header).Values(SignatureHeader)
	if len(values) != 1 {
		return billing.PaymentEvent{}, badSignature("there must be one " + SignatureHeader + " header")
	}
	signed, err := parseSignature(values[0])
	if err != nil {
		return billing.PaymentEvent{}, badSignature(err.Error())
	}
	if age := now.Sub(time.Unix(signed.seconds, 0)); age > tolerance || age < -tolerance {
		return billing.PaymentEvent{}, badSignature("it was made more than five minutes from now")
	}
	if !w.fits(signed, body) {
		return billing.PaymentEvent{}, badSignature("no signing secret fits")
	}
	return w.Read(body)
}

// Read implements billing.Webhooks.
func (w Webhooks) Read(body []byte) (billing.PaymentEvent, error) {
	var event wireEvent
	if err := json.Unmarshal(body, &event); err != nil {
		return partial(body), notAnEvent("it is not the JSON of an event")
	}
	return readEvent(event)
}

// partial reads the id and the type of a body that is no event, as far as it
// has them, so that the operator can find the event at the processor.
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

// signature is a header in its parts. The timestamp stays text as well: what
// was signed is what was sent, not what it means.
type signature struct {
	timestamp string
	seconds   int64
	v1        [][]byte
}

// parseSignature reads `t=1492774577,v1=<hex>[,v1=<hex>…]`. Other schemes are
// passed over, as is a signature that is not hexadecimal.
func parseSignature(header string) (signature, error) {
	var s signature
	if len(header) > maxHeader {
		return s, errors.New("the header is too long")
	}
	for part := range strings.SplitSeq(header, ",") {
		scheme, value, found := strings.Cut(strings.TrimSpace(part), "=")
		if !found {
			return s, errors.New("the header is not a list of key=value")
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
