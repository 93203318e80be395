package clerk_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"docledger/adapter/identity/clerk"
	sim "docledger/adapter/sim/clerk"
	"docledger/domain/fault"
	"docledger/domain/identity"
)

const (
	secondHook = "whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA="
	thirdHook  = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	messageID  = "msg_p5jXN8AQM9LWM0D4loKWxJek"

	// created and its signature were signed by the published svix library 1.99.1
	// at 1772366402.
	created = `{"data":{"created_at":1772366400000,"id":"org_acme","name":"Ärger & Söhne","object":"organization"},` +
		`"object":"event","timestamp":1772366401,"type":"organization.created"}`
	createdSignature = "v1,a/roWVMSafSAAPC+VcnnAwbk4yZeE1NfyQc4CpVzY4g="
)

var sentAt = time.Unix(1772366402, 0)

func verifier(t testing.TB, secrets ...string) clerk.Webhooks {
	t.Helper()
	c, err := clerk.New(clerk.Options{
		PublishableKey: "pk_live_Y2xlcmsuZXhhbXBsZS5jb20k", SecretKey: secretKey, WebhookSecrets: secrets,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c.Webhooks
}

// headers are those of a webhook signed by the published library, varied.
func headers(vary func(http.Header)) http.Header {
	h := http.Header{
		"Svix-Id": {messageID}, "Svix-Timestamp": {"1772366402"}, "Svix-Signature": {createdSignature},
		"Content-Type": {"application/json"},
	}
	if vary != nil {
		vary(h)
	}
	return h
}

func signed(body string, at time.Time, secrets ...string) http.Header {
	h := http.Header{}
	for name, value := range sim.Signature(messageID, []byte(body), at, secrets...) {
		h.Set(name, value)
	}
	return h
}

func TestWebhookOfThePublishedLibrary(t *testing.T) {
	t.Parallel()
	standard := headers(func(h http.Header) {
		for _, name := range []string{"Id", "Timestamp", "Signature"} {
			h.Set("Webhook-"+name, h.Get("Svix-"+name))
			h.Del("Svix-" + name)
		}
	})
	small := http.Header{}
	for name, values := range headers(nil) {
		small[strings.ToLower(name)] = values
	}
	set := func(name, value string) http.Header { return headers(func(h http.Header) { h.Set(name, value) }) }
	for name, h := range map[string]http.Header{
		"as sent":                   headers(nil),
		"standard names":            standard,
		"names in small letters":    small,
		"after an unknown version":  set("Svix-Signature", "v2,AAAA "+createdSignature),
		"after another's signature": set("Svix-Signature", "v1,"+base64.StdEncoding.EncodeToString(make([]byte, 32))+" "+createdSignature),
		"before garbage":            set("Svix-Signature", createdSignature+" garbage"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, secrets := range [][]string{{hook}, {hook, secondHook}, {secondHook, hook}} {
				got, err := verifier(t, secrets...).Verify(h, []byte(created), sentAt)
				if err != nil {
					t.Fatal(err)
				}
				want := identity.ProviderEvent{
					ID: messageID, Type: identity.OrganizationCreated, CreatedAt: time.Unix(1772366401, 0).UTC(),
					Organization: identity.ProviderOrganization{ID: acme},
				}
				if got != want {
					t.Errorf("got %+v", got)
				}
			}
		})
	}
}

func TestWebhookRefused(t *testing.T) {
	t.Parallel()
	set := func(name, value string) http.Header { return headers(func(h http.Header) { h.Set(name, value) }) }
	del := func(name string) http.Header { return headers(func(h http.Header) { h.Del(name) }) }
	add := func(name, value string) http.Header { return headers(func(h http.Header) { h.Add(name, value) }) }
	many := strings.TrimSuffix(strings.Repeat(createdSignature+" ", 17), " ")
	for name, c := range map[string]struct {
		header http.Header
		body   string
		now    time.Time
	}{
		"no headers":                      {http.Header{}, created, sentAt},
		"no id":                           {del("Svix-Id"), created, sentAt},
		"no timestamp":                    {del("Svix-Timestamp"), created, sentAt},
		"no signature":                    {del("Svix-Signature"), created, sentAt},
		"empty signature":                 {set("Svix-Signature", ""), created, sentAt},
		"another id":                      {set("Svix-Id", "msg_other"), created, sentAt},
		"id with a dot":                   {set("Svix-Id", "msg.1"), created, sentAt},
		"id with a line feed":             {set("Svix-Id", "msg_\n"), created, sentAt},
		"id too long":                     {set("Svix-Id", strings.Repeat("m", 300)), created, sentAt},
		"another timestamp":               {set("Svix-Timestamp", "1772366403"), created, sentAt},
		"timestamp with a sign":           {set("Svix-Timestamp", "+1772366402"), created, sentAt},
		"timestamp with zeros":            {set("Svix-Timestamp", "01772366402"), created, sentAt},
		"timestamp in milliseconds":       {set("Svix-Timestamp", "1772366402000"), created, sentAt},
		"timestamp beyond numbers":        {set("Svix-Timestamp", strings.Repeat("9", 30)), created, sentAt},
		"timestamp of letters":            {set("Svix-Timestamp", "now"), created, sentAt},
		"two ids":                         {add("Svix-Id", messageID), created, sentAt},
		"two timestamps":                  {add("Svix-Timestamp", "1772366402"), created, sentAt},
		"two signature headers":           {add("Svix-Signature", createdSignature), created, sentAt},
		"one byte altered":                {headers(nil), strings.Replace(created, "acme", "acmf", 1), sentAt},
		"one space more":                  {headers(nil), created + " ", sentAt},
		"reformatted":                     {headers(nil), strings.ReplaceAll(created, `,`, `, `), sentAt},
		"no body":                         {headers(nil), "", sentAt},
		"version v0":                      {set("Svix-Signature", "v0"+createdSignature[2:]), created, sentAt},
		"version v1a":                     {set("Svix-Signature", "v1a"+createdSignature[2:]), created, sentAt},
		"signature cut short":             {set("Svix-Signature", createdSignature[:20]), created, sentAt},
		"signature in hexadecimal":        {set("Svix-Signature", "v1,"+strings.Repeat("ab", 32)), created, sentAt},
		"too many signatures":             {set("Svix-Signature", many), created, sentAt},
		"signatures too long":             {set("Svix-Signature", strings.Repeat("v2,a ", 1000)+createdSignature), created, sentAt},
		"a second too old":                {headers(nil), created, sentAt.Add(5*time.Minute + time.Second)},
		"a second too early":              {headers(nil), created, sentAt.Add(-5*time.Minute - time.Second)},
		"a day old":                       {headers(nil), created, sentAt.Add(24 * time.Hour)},
		"a day early":                     {headers(nil), created, sentAt.Add(-24 * time.Hour)},
		"another secret":                  {signed(created, sentAt, thirdHook), created, sentAt},
		"as the payment processor signs":  {http.Header{"Stripe-Signature": {"t=1772366402,v1=" + strings.Repeat("ab", 32)}}, created, sentAt},
		"families mixed":                  {mixed(), created, sentAt},
		"signed and then no JSON's bytes": {headers(nil), "\xff", sentAt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := verifier(t, hook, secondHook).Verify(c.header, []byte(c.body), c.now)
			f, ok := fault.As(err)
			if !ok || f.Kind != fault.Invalid || f.Code != fault.CodeInvalidSignature {
				t.Fatalf("got %+v, %v", got, err)
			}
			secretless(t, err, createdSignature[3:])
		})
	}
	for _, now := range []time.Time{sentAt.Add(5 * time.Minute), sentAt.Add(-5 * time.Minute)} {
		if _, err := verifier(t, hook).Verify(headers(nil), []byte(created), now); err != nil {
			t.Errorf("at the edge: %v", err)
		}
	}
	if _, err := verifier(t).Verify(headers(nil), []byte(created), sentAt); fault.CodeOf(err) != fault.CodeInvalidSignature {
		t.Errorf("without a secret: %v", err)
	}
}

func mixed() http.Header {
	return headers(func(h http.Header) {
		h.Set("Webhook-Timestamp", h.Get("Svix-Timestamp"))
		h.Del("Svix-Timestamp")
	})
}

func TestWebhookEvents(t *testing.T) {
	t.Parallel()
	organization := `{"id":"org_acme","name":"Acme","created_at":1772366400000,"updated_at":1772366405000`
	named := identity.ProviderOrganization{ID: acme}
	at := time.UnixMilli(1772366406000).UTC()
	for name, c := range map[string]struct {
		body string
		want identity.ProviderEvent
	}{
		"created": {
			`{"type":"organization.created","timestamp":1772366406000,"data":` + organization + `}}`,
			identity.ProviderEvent{Type: identity.OrganizationCreated, CreatedAt: at, Organization: named},
		},
		"updated with our own metadata": {
			`{"type":"organization.updated","timestamp":1772366406,"data":` + organization +
				`,"public_metadata":{"trial_expiry_date":"2026-03-04","trial_max_entities":10,"trial_max_invoices_per_month":300,"x":[]}}}`,
			identity.ProviderEvent{Type: identity.OrganizationUpdated, CreatedAt: at, Organization: named},
		},
		"metadata of other types": {
			`{"type":"organization.updated","data":` + organization +
				`,"public_metadata":{"trial_expiry_date":7,"trial_max_entities":"10","trial_max_invoices_per_month":-1}}}`,
			identity.ProviderEvent{Type: identity.OrganizationUpdated, Organization: named},
		},
		"metadata that is null": {
			`{"type":"organization.updated","data":` + organization + `,"public_metadata":null}}`,
			identity.ProviderEvent{Type: identity.OrganizationUpdated, Organization: named},
		},
		"deleted": {
			`{"type":"organization.deleted","data":{"object":"organization","id":"org_acme","deleted":true}}`,
			identity.ProviderEvent{Type: identity.OrganizationDeleted, Organization: identity.ProviderOrganization{ID: acme, Deleted: true}},
		},
		"without a creation time": {
			`{"type":"organization.created","timestamp":1772366406000,"data":{"id":"org_acme","name":"Acme"}}`,
			identity.ProviderEvent{Type: identity.OrganizationCreated, CreatedAt: at, Organization: named},
		},
		"with a creation time of another type": {
			`{"type":"organization.created","data":{"id":"org_acme","name":null,"created_at":"yesterday"}}`,
			identity.ProviderEvent{Type: identity.OrganizationCreated, Organization: named},
		},
		"from after the year 9999": {
			`{"type":"organization.updated","timestamp":9223372036854775807,"data":` + organization + `}}`,
			identity.ProviderEvent{Type: identity.OrganizationUpdated, Organization: named},
		},
		"of a person": {
			`{"type":"user.created","data":{"id":"user_1"}}`, identity.ProviderEvent{Type: "user.created"},
		},
		"of a sort to come": {
			`{"type":"organization.merged","data":["anything"]}`, identity.ProviderEvent{Type: "organization.merged"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.want.ID = messageID
			w := verifier(t, hook)
			got, err := w.Verify(signed(c.body, sentAt, hook), []byte(c.body), sentAt)
			if err != nil || got != c.want {
				t.Errorf("got %+v, %v", got, err)
			}
			again, err := w.Read(messageID, []byte(c.body))
			if err != nil || again != c.want {
				t.Errorf("from the store: %+v, %v", again, err)
			}
			if got.String() != fmt.Sprintf("%s %s", c.want.Type, messageID) {
				t.Errorf("named %q", got)
			}
		})
	}
	for _, body := range []string{
		"", "null", "[]", `"text"`, `{}`, `{"type":7}`, `{"type":"organization.created"}`,
		`{"type":"organization.created","data":[]}`, `{"type":"organization.created","data":{}}`,
		`{"type":"organization.created","data":{"id":"../x","created_at":1}}`,
		`{"type":"organization.deleted","data":{"deleted":true}}`,
		`{"type":"organization.created","data":{"id":1,"created_at":1}}`,
	} {
		_, err := verifier(t, hook).Verify(signed(body, sentAt, hook), []byte(body), sentAt)
		if f, ok := fault.As(err); !ok || f.Kind != fault.Invalid || f.Code != fault.CodeInvalidRequest {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestWebhookSecretsMustBeStrong(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"", "whsec_", "whsec_AAAA", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", "whsec_not base64 at all, however long"} {
		_, err := clerk.New(clerk.Options{
			PublishableKey: "pk_live_Y2xlcmsuZXhhbXBsZS5jb20k", SecretKey: secretKey, WebhookSecrets: []string{hook, secret},
		})
		if err == nil {
			t.Errorf("%q was accepted", secret)
		} else if !strings.Contains(err.Error(), "secret 2") || len(secret) > 6 && strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", secret, err)
		}
	}
}

// FuzzWebhookHeaders never accepts what the secret did not sign.
func FuzzWebhookHeaders(f *testing.F) {
	f.Add(messageID, "1772366402", createdSignature, created)
	f.Add(messageID, "1772366402", "v2,AAAA "+createdSignature, created)
	f.Add("", "", "", "")
	f.Add("msg_1", "99999999999999999999", "v1,", "{}")
	f.Add("msg.1772366402", "1772366402", createdSignature+" v1,", created)
	w := verifier(f, hook)
	f.Fuzz(func(t *testing.T, id, timestamp, signature, body string) {
		h := http.Header{"Svix-Id": {id}, "Svix-Timestamp": {timestamp}, "Svix-Signature": {signature}}
		before := maps.Clone(h)
		event, err := w.Verify(h, []byte(body), sentAt)
		if err == nil && (id != messageID || timestamp != "1772366402" || body != created || !strings.Contains(signature, createdSignature)) {
			t.Fatalf("accepted %q %q %q %q as %v", id, timestamp, signature, body, event)
		}
		if !maps.EqualFunc(h, before, func(a, b []string) bool { return a[0] == b[0] }) {
			t.Fatal("the headers were changed")
		}
	})
}
