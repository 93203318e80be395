package clerk

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"
)

// headerFamilies lists the prefixes of a signed webhook's headers. The first is the sender's own,
// the second that of the Standard Webhooks specification.
var headerFamilies = []string{"svix", "webhook"}

const (
	secretPrefix  = "whsec_"
	minSecret     = 16 // bytes
	tolerance     = 5 * time.Minute
	maxHeader     = 4 << 10 // bytes
	maxSignatures = 16      // the sender creates one per secret
	maxTimestamp  = 12      // digits
)

// Webhooks implements identity.WebhookVerifier.
type Webhooks struct{ keys [][]byte }

var _ identity.WebhookVerifier = Webhooks{}

func newWebhooks(secrets []string) (Webhooks, error) {
	var w Webhooks
	for i, secret := range secrets {
		encoded, prefixed := strings.CutPrefix(secret, secretPrefix)
		key, err := base64.StdEncoding.DecodeString(encoded)
		if !prefixed || err != nil || len(key) < minSecret {
			return Webhooks{}, fmt.Errorf("signing secret %d of the identity webhook is not valid: it must be %s "+
				"and the base64 of at least %d bytes", i+1, secretPrefix, minSecret)
		}
		w.keys = append(w.keys, key)
	}
	return w, nil
}

// Verify implements identity.WebhookVerifier.
func (w Webhooks) Verify(header map[string][]string, body []byte, now time.Time) (identity.ProviderEvent, error) {
	signed, err := parseSignature(header)
	if err != nil {
		return identity.ProviderEvent{}, badSignature(err.Error())
	}
	if age := now.Sub(time.Unix(signed.seconds, 0)); age > tolerance || age < -tolerance {
		return identity.ProviderEvent{}, badSignature("its time differs from the current time by more than five minutes")
	}
	if !w.fits(signed, body) {
		return identity.ProviderEvent{}, badSignature("no configured signing secret matches")
	}
	return w.Read(signed.id, body)
}

func (w Webhooks) fits(s signature, body []byte) bool {
	for _, key := range w.keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(s.id + "." + s.timestamp + "."))
		mac.Write(body)
		sum := base64.StdEncoding.AppendEncode(nil, mac.Sum(nil))
		for _, claimed := range s.v1 {
			if hmac.Equal(sum, []byte(claimed)) {
				return true
			}
		}
	}
	return false
}

// Read implements identity.WebhookVerifier.
func (w Webhooks) Read(id string, body []byte) (identity.ProviderEvent, error) {
	var wire struct {
		Type      string          `json:"type"`
		Timestamp int64           `json:"timestamp"`
		Data      json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return partial(id, body), notAnEvent("it is not an event in JSON")
	}
	known := identity.ProviderEvent{ID: id, Type: identity.ProviderEventType(wire.Type)}
	if wire.Type == "" {
		return known, notAnEvent("it has no type")
	}
	event := identity.ProviderEvent{
		ID: id, Type: identity.ProviderEventType(wire.Type), CreatedAt: eventTime(wire.Timestamp),
	}
	switch event.Type {
	case identity.OrganizationCreated, identity.OrganizationUpdated, identity.OrganizationDeleted:
	default:
		return event, nil
	}
	// The event only names the organization. Its current state is read from the provider.
	var data struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(wire.Data, &data); err != nil {
		return known, notAnEvent("its data is not an organization")
	}
	if !validID(data.ID) {
		return known, notAnEvent("its organization has no valid id")
	}
	event.Organization = identity.ProviderOrganization{ID: data.ID, Deleted: event.Type == identity.OrganizationDeleted}
	return event, nil
}

// partial returns the type of a body that is not a complete event, if present.
func partial(id string, body []byte) identity.ProviderEvent {
	var event map[string]json.RawMessage
	var kind identity.ProviderEventType
	if json.Unmarshal(body, &event) != nil || json.Unmarshal(event["type"], &kind) != nil {
		kind = ""
	}
	return identity.ProviderEvent{ID: id, Type: kind}
}

// eventTime converts a time that the provider states in seconds or in milliseconds, depending on
// the event.
func eventTime(n int64) time.Time {
	const (
		year5138  = 100_000_000_000     // in seconds; the same number in milliseconds is in 1973
		endOf9999 = 253_402_300_799_999 // in milliseconds; the latest time that the databases store
	)
	switch {
	case n <= 0, n > endOf9999:
		return time.Time{}
	case n < year5138:
		return time.Unix(n, 0).UTC()
	}
	return time.UnixMilli(n).UTC()
}

// signature holds the parsed headers. The timestamp is also kept as text, because the signature
// covers the bytes as sent.
type signature struct {
	id        string
	timestamp string
	seconds   int64
	v1        []string // in base64; compared as text, because each value has one encoding
}

// parseSignature parses the three headers of one family, each of which must be present exactly
// once. It compares names without case.
func parseSignature(header map[string][]string) (signature, error) {
	for _, family := range headerFamilies {
		id, err1 := single(header, family+"-id")
		timestamp, err2 := single(header, family+"-timestamp")
		signatures, err3 := single(header, family+"-signature")
		if err := errors.Join(err1, err2, err3); err != nil {
			return signature{}, errors.New("a signature header is repeated or too long")
		}
		if id != "" && timestamp != "" && signatures != "" {
			return parseHeaders(id, timestamp, signatures)
		}
	}
	return signature{}, errors.New("the headers svix-id, svix-timestamp and svix-signature are required")
}

func parseHeaders(id, timestamp, signatures string) (signature, error) {
	s := signature{id: id, timestamp: timestamp}
	if len(id) > maxID || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' || r == '.' }) {
		return s, errors.New("its id is malformed")
	}
	if len(timestamp) > maxTimestamp || strings.Trim(timestamp, "0123456789") != "" {
		return s, errors.New("its timestamp is not a number")
	}
	var err error
	if s.seconds, err = strconv.ParseInt(timestamp, 10, 64); err != nil {
		return s, errors.New("its timestamp is not a number")
	}
	// Other versions are skipped.
	for one := range strings.SplitSeq(signatures, " ") {
		if encoded, found := strings.CutPrefix(one, "v1,"); found {
			s.v1 = append(s.v1, encoded)
		}
	}
	switch {
	case len(s.v1) == 0:
		return s, errors.New("it has no v1 signature")
	case len(s.v1) > maxSignatures:
		return s, errors.New("it has too many signatures")
	}
	return s, nil
}

func single(header map[string][]string, name string) (string, error) {
	var all []string
	for key, values := range header {
		if strings.EqualFold(key, name) {
			all = append(all, values...)
		}
	}
	switch {
	case len(all) == 0:
		return "", nil
	case len(all) > 1 || len(all[0]) > maxHeader:
		return "", errors.New(name)
	}
	return all[0], nil
}

func badSignature(reason string) error {
	return fault.New(fault.Invalid, fault.CodeInvalidSignature, "The webhook's signature is not valid: %s.", reason)
}

func notAnEvent(reason string) error {
	return fault.New(fault.Invalid, fault.CodeInvalidRequest, "The webhook's body is not valid: %s.", reason)
}
