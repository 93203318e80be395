package stripe_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"docledger/adapter/payment/stripe"
	sim "docledger/adapter/sim/stripe"
	"docledger/domain/billing"
	"docledger/domain/fault"
)

const subscriptionBody = `{"id":"evt_1","object":"event","type":"customer.subscription.created","created":1794744000,` +
	`"api_version":"2024-06-20","data":{"object":{"id":"sub_1","object":"subscription","customer":"cus_1","status":"active",` +
	`"metadata":{"price_id":"price_1"},"current_period_end":1796083200}}}`

func client(t testing.TB, secrets ...string) *stripe.Client {
	t.Helper()
	c, err := stripe.New(stripe.Options{SecretKey: "sk_test", WebhookSecrets: secrets})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func signed(header string) http.Header { return http.Header{stripe.SignatureHeader: {header}} }

func TestSignatureHeaders(t *testing.T) {
	t.Parallel()
	c := client(t, "whsec_new", "whsec_old")
	body := []byte(subscriptionBody)
	good := sim.Sign(body, start, "whsec_new")
	stamp, sum, _ := strings.Cut(good, ",")
	_, hexSum, _ := strings.Cut(sum, "=")
	wrong := "v1=" + strings.Repeat("ab", 32)
	for name, tt := range map[string]struct {
		header string
		ok     bool
	}{
		"one secret":                {good, true},
		"the other secret":          {sim.Sign(body, start, "whsec_old"), true},
		"both secrets":              {sim.Sign(body, start, "whsec_new", "whsec_old"), true},
		"one of several fits":       {stamp + "," + wrong + "," + sum, true},
		"additional schemes":        {stamp + ",v0=6ffbb59b," + sum + ",v2=x", true},
		"spaces after commas":       {stamp + ", " + sum, true},
		"signature before stamp":    {sum + "," + stamp, true},
		"upper-case digits":         {stamp + ",v1=" + strings.ToUpper(hexSum), true},
		"a third secret":            {sim.Sign(body, start, "whsec_third"), false},
		"another sender's scheme":   {"v1," + hexSum, false},
		"only v0":                   {stamp + ",v0=" + hexSum, false},
		"no signature":              {stamp, false},
		"no stamp":                  {sum, false},
		"two stamps":                {stamp + ",t=1," + sum, false},
		"stamp is no number":        {"t=now," + sum, false},
		"stamp with sign":           {"t=+1794744000," + sum, false},
		"negative stamp":            {"t=-1794744000," + sum, false},
		"stamp beyond all time":     {"t=99999999999999999999," + sum, false},
		"stamp written otherwise":   {"t=0" + strings.TrimPrefix(stamp, "t=") + "," + sum, false},
		"signature of another time": {"t=1794744001," + sum, false},
		"not hexadecimal":           {stamp + ",v1=" + strings.Repeat("zz", 32), false},
		"too short":                 {stamp + ",v1=" + hexSum[:62], false},
		"empty":                     {"", false},
		"only commas":               {",,,", false},
		"a hundred signatures":      {stamp + strings.Repeat(","+wrong, 99) + "," + sum, false},
		"very long":                 {good + ",x=" + strings.Repeat("x", 8<<10), false},
	} {
		event, err := c.Webhooks.Verify(signed(tt.header), body, start)
		if tt.ok && (err != nil || event.ID != "evt_1") {
			t.Errorf("%s: %v", name, err)
		}
		if !tt.ok && (fault.CodeOf(err) != fault.CodeInvalidSignature || event.ID != "") {
			t.Errorf("%s was accepted: %+v (%v)", name, event, err)
		}
	}
	if _, err := client(t).Webhooks.Verify(signed(sim.Sign(body, start, "")), body, start); fault.CodeOf(err) != fault.CodeInvalidSignature {
		t.Errorf("without a secret: %v", err)
	}
	// The bytes are signed, not what they mean.
	var same map[string]any
	if err := json.Unmarshal(body, &same); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(same)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Webhooks.Verify(signed(good), again, start); fault.CodeOf(err) != fault.CodeInvalidSignature {
		t.Errorf("the same JSON written otherwise: %v", err)
	}
}

func TestSignatureBeforeContent(t *testing.T) {
	t.Parallel()
	c := client(t, "whsec")
	for _, body := range []string{
		"", "null", "[]", "{", `{"object":"event"}`, `{"id":"evt_1","object":"event","type":"t","created":1}`,
		`{"id":"evt_1","object":"event","type":"t","created":1,"data":{"object":null}}`,
		`{"id":"evt_1","object":"event","type":"t","created":-5,"data":{"object":{}}}`,
		`{"id":"evt_1","object":"v2.core.event","type":"t","created":5,"data":{"object":{}}}`,
		strings.Replace(subscriptionBody, `"cus_1"`, "null", 1),
	} {
		_, err := c.Webhooks.Verify(signed(sim.Sign([]byte(body), start, "whsec")), []byte(body), start)
		if fault.CodeOf(err) != fault.CodeInvalidRequest {
			t.Errorf("signed %q: %v", body, err)
		}
		_, err = c.Webhooks.Verify(signed(sim.Sign([]byte(body), start, "whsec_other")), []byte(body), start)
		if fault.CodeOf(err) != fault.CodeInvalidSignature {
			t.Errorf("wrongly signed %q: %v", body, err)
		}
	}
}

func TestEventsOfAnyVersion(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	const sub = `"object":"subscription","id":"sub_1","status":"active"`
	for name, tt := range map[string]struct {
		version, object string
		want            billing.PaymentEvent
	}{
		"period on the subscription": {
			stripe.APIVersion, `{` + sub + `,"customer":"cus_1","current_period_end":1796083200}`,
			billing.PaymentEvent{Customer: "cus_1", Subscription: "sub_1", Status: billing.Active, PeriodEnd: end},
		},
		"period on the items": {
			"2025-03-31.basil", `{` + sub + `,"customer":"cus_1","items":{"data":[{"current_period_end":1},{"current_period_end":1796083200}]}}`,
			billing.PaymentEvent{Customer: "cus_1", Subscription: "sub_1", Status: billing.Active, PeriodEnd: end},
		},
		"no period": {
			"2025-03-31.basil", `{` + sub + `,"customer":"cus_1","items":{"data":[{"current_period_end":null}]}}`,
			billing.PaymentEvent{Customer: "cus_1", Subscription: "sub_1", Status: billing.Active},
		},
		"customer expanded": {
			stripe.APIVersion, `{` + sub + `,"customer":{"id":"cus_1","object":"customer"}}`,
			billing.PaymentEvent{Customer: "cus_1", Subscription: "sub_1", Status: billing.Active},
		},
		"types of a version to come": {
			"2030-01-01.yttrium", `{` + sub + `,"customer":"cus_1","items":[1],"metadata":["a"],"current_period_end":"tomorrow"}`,
			billing.PaymentEvent{Customer: "cus_1", Subscription: "sub_1", Status: billing.Active},
		},
		"invoice": {
			stripe.APIVersion, `{"object":"invoice","id":"in_1","customer":"cus_1","subscription":"sub_1","status":"open"}`,
			billing.PaymentEvent{Customer: "cus_1", Subscription: "sub_1"},
		},
		"invoice of basil": {
			"2025-03-31.basil", `{"object":"invoice","customer":"cus_1","parent":{"subscription_details":{"subscription":"sub_1"}}}`,
			billing.PaymentEvent{Customer: "cus_1", Subscription: "sub_1"},
		},
		"customer": {stripe.APIVersion, `{"object":"customer","id":"cus_1"}`, billing.PaymentEvent{Customer: "cus_1"}},
		"product":  {stripe.APIVersion, `{"object":"product","id":"prod_1"}`, billing.PaymentEvent{}},
	} {
		body := fmt.Sprintf(`{"id":"evt_1","object":"event","type":"t","created":1794744000,"api_version":%q,"request":"req_1","data":{"object":%s}}`,
			tt.version, tt.object)
		got, err := client(t, "whsec").Webhooks.Read([]byte(body))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Customer != tt.want.Customer || got.Subscription != tt.want.Subscription || got.Status != tt.want.Status ||
			!got.PeriodEnd.Equal(tt.want.PeriodEnd) || got.OtherVersion != (tt.version != stripe.APIVersion) || got.APIVersion != tt.version {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func FuzzSignature(f *testing.F) {
	c := client(f, "whsec")
	body := []byte(subscriptionBody)
	f.Add(sim.Sign(body, start, "whsec"), body)
	f.Add("t=1794744000,v1=", []byte(`{"object":"event"}`))
	f.Add("t=1,t=2,v0=,=,", []byte(`[`))
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		event, err := c.Webhooks.Verify(signed(header), body, start)
		if code := fault.CodeOf(err); err != nil && code != fault.CodeInvalidSignature && code != fault.CodeInvalidRequest {
			t.Errorf("%q: %v", header, err)
		}
		if err == nil && (event.ID == "" || !strings.Contains(header, sim.Sign(body, start, "whsec")[len("t=1794744000,"):])) {
			t.Errorf("%q over %q was accepted: %+v", header, body, event)
		}
		// What a signed body may hold is bounded by nothing but its signature.
		if _, err := c.Webhooks.Verify(signed(sim.Sign(body, start, "whsec")), body, start); fault.CodeOf(err) == fault.CodeInvalidSignature {
			t.Errorf("signed %q: %v", body, err)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	c := client(b, "whsec")
	body := []byte(subscriptionBody)
	header := signed(sim.Sign(body, start, "whsec"))
	for b.Loop() {
		if _, err := c.Webhooks.Verify(header, body, start); err != nil {
			b.Fatal(err)
		}
	}
}

// TestUnreadableEventsKeepTheirNames shows that a signed body that is no event
// gives its id and type along with the error, as far as it has them.
func TestUnreadableEventsKeepTheirNames(t *testing.T) {
	t.Parallel()
	c := client(t, "whsec")
	for body, want := range map[string]billing.PaymentEvent{
		"[":  {},
		"{}": {},
		`{"id":"evt_1","object":"event","created":5,"data":{"object":{}}}`:                           {ID: "evt_1"},
		`{"id":"evt_1","object":"event","type":"t","created":"soon","data":{"object":{}}}`:           {ID: "evt_1", Type: "t"},
		`{"id":"evt_1","object":"event","type":"t","created":9000000000000000,"data":{"object":{}}}`: {ID: "evt_1", Type: "t"},
		`{"id":"evt_1","object":"event","type":"t","created":5,"data":{"object":null}}`:              {ID: "evt_1", Type: "t"},
		strings.Replace(subscriptionBody, `"cus_1"`, "null", 1):                                      {ID: "evt_1", Type: "customer.subscription.created"},
	} {
		got, err := c.Webhooks.Verify(signed(sim.Sign([]byte(body), start, "whsec")), []byte(body), start)
		if fault.CodeOf(err) != fault.CodeInvalidRequest || got.ID != want.ID || got.Type != want.Type {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
}
