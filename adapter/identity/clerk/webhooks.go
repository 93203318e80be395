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

// The headers of a signed webhook begin with one of these. The first is the
// sender's own, the second that of the Standard Webhooks specification.
var headerFamilies = []string{"svix", "webhook"}

const (
	secretPrefix  = "whsec_"
	minSecret     = 16 // bytes
	tolerance     = 5 * time.Minute
	maxHeader     = 4 << 10 // bytes
	maxSignatures = 16      // the sender makes one for each of its secrets
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
		return identity.ProviderEvent{}, badSignature("it was made more than five minutes from now")
	}
	if !w.fits(signed, body) {
		return identity.ProviderEvent{}, badSignature("no signing secret fits")
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
		return partial(id, body), notAnEvent("it is not the JSON of an event")
	}
	known := identity.ProviderEvent{ID: id, Type: identity.ProviderEventType(wire.Type)}
	if wire.Type == "" {
		return known, notAnEvent("it names no type")
	}
	event := identity.ProviderEvent{
		ID: id, Type: identity.ProviderEventType(wire.Type), CreatedAt: eventTime(wire.Timestamp),
	}
	switch event.Type {
	case identity.OrganizationCreated, identity.OrganizationUpdated, identity.OrganizationDeleted:
	default:
		return event, nil
	}
	var data wireOrganization
	if err := json.Unmarshal(wire.Data, &data); err != nil {
		return known, notAnEvent("its data is no organization")
	}
	if event.Type == identity.OrganizationDeleted {
		data.Deleted = true
	}
	if !validID(data.ID) || !data.Deleted && data.CreatedAt <= 0 {
		return known, notAnEvent("its organization has no id or no time of creation")
	}
	event.Organization = data.ours()
	return event, nil
}

// partial reads the type of a body that is no event, as far as it has one.
func partial(id string, body []byte) identity.ProviderEvent {
	var event map[string]json.RawMessage
	var kind identity.ProviderEventType
	if json.Unmarshal(body, &event) != nil || json.Unmarshal(event["type"], &kind) != nil {
		kind = ""
	}
	return identity.ProviderEvent{ID: id, Type: kind}
}

// eventTime reads a time that the provider gives in seconds in one place and in
// milliseconds in another.
func eventTime(n int64) time.Time {
	const (
		year5138  = 100_000_000_000     // in seconds; in milliseconds it is 1973
		endOf9999 = 253_402_300_799_999 // in milliseconds; databases know no later time
	)
	switch {
	case n <= 0, n > endOf9999:
		return time.Time{}
	case n < year5138:
		return time.Unix(n, 0).UTC()
	}
	return time.UnixMilli(n).UTC()
}

// signature is what the headers say. The timestamp stays text as well: what was
// signed is what was sent, not what it means.
type signature struct {
	id        string
	timestamp string
	seconds   int64
	v1        []string // in base64, as they are compared: each has one spelling
}

// parseSignature reads the three headers of one family, which must each be
// there once. Their names are compared without regard to case.
func parseSignature(header map[string][]string) (signature, error) {
	for _, family := range headerFamilies {
		id, err1 := single(header, family+"-id")
		timestamp, err2 := single(header, family+"-timestamp")
		signatures, err3 := single(header, family+"-signature")
		if err := errors.Join(err1, err2, err3); err != nil {
			return signature{}, errors.New("a header of it is there twice or too long")
		}
		if id != "" && timestamp != "" && signatures != "" {
			return parseHeaders(id, timestamp, signatures)
		}
	}
	return signature{}, errors.New("the headers svix-id, svix-timestamp and svix-signature must be there")
}

func parseHeaders(id, timestamp, signatures string) (signature, error) {
	s := signature{id: id, timestamp: timestamp}
	if len(id) > maxID || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' || r == '.' }) {
		return s, errors.New("its id is no id")
	}
	if len(timestamp) > maxTimestamp || strings.Trim(timestamp, "0123456789") != "" {
		return s, errors.New("its timestamp is not a number")
	}
	var err error
	if s.seconds, err = strconv.ParseInt(timestamp, 10, 64); err != nil {
		return s, errors.New("its timestamp is not a number")
	}
	// Other versions are passed over.
	for one := range strings.SplitSeq(signatures, " ") {
		if encoded, found := strings.CutPrefix(one, "v1,"); found {
			s.v1 = append(s.v1, encoded)
		}
	}
	switch {
	case len(s.v1) == 0:
		return s, errors.New("there is none of version v1")
	case len(s.v1) > maxSignatures:
		return s, errors.New("there are too many")
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
