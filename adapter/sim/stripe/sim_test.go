package stripe_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"docledger/adapter/sim/stripe"
)

var start = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// account is a simulator and a client of it.
type account struct {
	*stripe.Server
	t   testing.TB
	url string
}

func open(t testing.TB, change ...func(*stripe.Options)) account {
	t.Helper()
	limits := stripe.DefaultLimits()
	limits.RequestsPerSecond = 0
	o := stripe.Options{Account: stripe.ReadyAccount(), Start: start, Limits: &limits}
	for _, c := range change {
		c(&o)
	}
	s := stripe.New(o)
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.Close()
		s.Close()
	})
	return account{s, t, server.URL}
}

// object is a response.
type object map[string]any

// at returns the value at a dotted path; numbers are indices.
func (o object) at(path string) any {
	var v any = map[string]any(o)
	for name := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

func (o object) text(path string) string {
	if v := o.at(path); v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

func (o object) number(path string) int64 {
	n, _ := o.at(path).(float64)
	return int64(n)
}

func (o object) ids(path string) string {
	list, _ := o.at(path).([]any)
	var ids []string
	for _, item := range list {
		ids = append(ids, object(item.(map[string]any)).text("id"))
	}
	return strings.Join(ids, " ")
}

func values(pairs []string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Add(pairs[i], pairs[i+1])
	}
	return v
}

func (a account) want(status int, method, path string, pairs ...string) object {
	a.t.Helper()
	got, body := a.Do(method, path, values(pairs))
	if got != status {
		a.t.Fatalf("%s %s %v: %d, want %d: %v", method, path, pairs, got, status, body)
	}
	return body
}

func (a account) post(path string, pairs ...string) object {
	a.t.Helper()
	return a.want(http.StatusOK, http.MethodPost, path, pairs...)
}

func (a account) get(path string, pairs ...string) object {
	a.t.Helper()
	return a.want(http.StatusOK, http.MethodGet, path, pairs...)
}

// send sends a request over the network; headers are pairs.
func (a account) send(method, path, body string, headers ...string) (*http.Response, object) {
	a.t.Helper()
	req, err := http.NewRequest(method, a.url+path, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk_test_1")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	var out object
	if err := json.Unmarshal(raw, &out); err != nil {
		a.t.Fatalf("%s %s: %v in %s", method, path, err, raw)
	}
	return resp, out
}

// buyer creates a customer with a default card, "" for none.
func (a account) buyer(card string) string {
	a.t.Helper()
	if card == "" {
		return a.post("/v1/customers").text("id")
	}
	return a.post("/v1/customers", "payment_method", card, "invoice_settings[default_payment_method]", card).text("id")
}

// monthly creates a price of 30.00 EUR a month.
func (a account) monthly(more ...string) string {
	a.t.Helper()
	return a.post("/v1/prices", append([]string{
		"currency", "eur", "unit_amount", "3000", "recurring[interval]", "month", "product_data[name]", "Team",
	}, more...)...).text("id")
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	a := open(t, func(o *stripe.Options) { o.SecretKeys = []string{"sk_test_right"} })
	for _, tt := range []struct {
		header, value string
		status        int
		message       string
	}{
		{"Authorization", "", 401, "did not provide an API key"},
		{"Authorization", "Bearer sk_test_wrongly", 401, "Invalid API Key provided: sk_t*******ngly"},
		{"Authorization", "Bearer sk_test_right", 200, ""},
		{"Authorization", "Basic c2tfdGVzdF9yaWdodDo=", 200, ""},
	} {
		resp, body := a.send("GET", "/v1/customers", "", tt.header, tt.value)
		if resp.StatusCode != tt.status || !strings.Contains(body.text("error.message"), tt.message) || resp.Header.Get("Request-Id") == "" {
			t.Errorf("%q: %d %v", tt.value, resp.StatusCode, body)
		}
	}
}

func TestRefusedParameters(t *testing.T) {
	t.Parallel()
	a := open(t)
	price := a.monthly()
	for _, tt := range []struct {
		path, body  string
		code, param string
	}{
		{"/v1/customers", "nmae=x", "parameter_unknown", "nmae"},
		{"/v1/customers", "address[strasse]=x", "parameter_unknown", "address[strasse]"},
		{"/v1/customers", "name[first]=x", "parameter_invalid_string", "name"},
		{"/v1/customers", "metadata=x", "", "metadata"},
		{"/v1/customers", "metadata[" + strings.Repeat("k", 41) + "]=x", "", "metadata[" + strings.Repeat("k", 41) + "]"},
		{"/v1/customers", "metadata[k]=" + strings.Repeat("v", 501), "", "metadata[k]"},
		{"/v1/customers", "payment_method=", "parameter_invalid_empty", "payment_method"},
		{"/v1/products", "", "parameter_missing", "name"},
		{"/v1/prices", "currency=eur&unit_amount=x&product_data[name]=x", "parameter_invalid_integer", "unit_amount"},
		{"/v1/prices", "currency=euro&unit_amount=1&product_data[name]=x", "", "currency"},
		{"/v1/prices", "currency=eur&unit_amount=1&product=prod_none", "resource_missing", "product"},
		{"/v1/prices", "currency=eur&unit_amount=1&product_data[name]=x&recurring[interval]=hour", "", "recurring[interval]"},
		{"/v1/prices", "currency=eur&unit_amount=1&product_data[name]=x&active=yes", "parameter_invalid_boolean", "active"},
		{"/v1/subscriptions", "items[0][price]=" + price, "parameter_missing", "customer"},
		{"/v1/subscriptions", "customer=cus_none&items[0][price]=" + price, "resource_missing", "customer"},
		{"/v1/invoices", "customer=cus_none", "resource_missing", "customer"},
		{"/v1/customers?expand[]=a.b.c.d.e", "", "", "expand"},
		{"/v1/customers", "expand[]=nothing", "", "expand"},
		{"/v1/customers", "a[b=1", "", ""},
		{"/v1/customers", "name=%zz", "", ""},
	} {
		resp, body := a.send("POST", tt.path, tt.body, "Content-Type", "application/x-www-form-urlencoded")
		if resp.StatusCode != 400 || body.text("error.type") != "invalid_request_error" || body.text("error.code") != tt.code ||
			body.text("error.param") != tt.param || body.text("error.message") == "" {
			t.Errorf("%s %s: %d %v", tt.path, tt.body, resp.StatusCode, body)
		}
	}
	resp, body := a.send("GET", "/v1/unknown", "")
	if resp.StatusCode != 404 || !strings.Contains(body.text("error.message"), "Unrecognized request URL (GET: /v1/unknown)") {
		t.Errorf("unknown route: %d %v", resp.StatusCode, body)
	}
	if resp, body = a.send("GET", "/v1/customers/cus_none", ""); resp.StatusCode != 404 || body.text("error.code") != "resource_missing" {
		t.Errorf("unknown customer: %d %v", resp.StatusCode, body)
	}
}

func TestIdempotency(t *testing.T) {
	t.Parallel()
	a := open(t)
	post := func(key, path, body string) (*http.Response, object) {
		return a.send("POST", path, body, "Idempotency-Key", key)
	}
	_, first := post("k1", "/v1/customers", "name=A&email=a%40example.com")
	resp, again := post("k1", "/v1/customers", "email=a%40example.com&name=A")
	if again.text("id") != first.text("id") || resp.Header.Get("Idempotent-Replayed") != "true" || resp.Header.Get("Original-Request") == "" {
		t.Errorf("replayed %v, want %v", again, first)
	}
	for _, other := range []struct{ path, body string }{{"/v1/customers", "name=B"}, {"/v1/products", "name=A&email=a%40example.com"}} {
		if resp, got := post("k1", other.path, other.body); resp.StatusCode != 400 || got.text("error.type") != "idempotency_error" {
			t.Errorf("%s %s: %d %v", other.path, other.body, resp.StatusCode, got)
		}
	}
	// The result of invalid parameters is not stored.
	if resp, _ := post("k2", "/v1/customers", "nmae=x"); resp.StatusCode != 400 {
		t.Errorf("unknown parameter: %d", resp.StatusCode)
	}
	if resp, _ := post("k2", "/v1/customers", "name=x"); resp.StatusCode != 200 || resp.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf("corrected: %d", resp.StatusCode)
	}
	// The result of an operation is stored, including a refusal.
	draft := a.post("/v1/invoices", "customer", first.text("id"), "currency", "eur").text("id")
	a.post("/v1/invoiceitems", "customer", first.text("id"), "invoice", draft, "amount", "500", "currency", "eur")
	a.post("/v1/invoices/" + draft + "/finalize")
	if resp, _ := post("k3", "/v1/invoices/"+draft+"/pay", ""); resp.StatusCode != 400 {
		t.Errorf("without a card: %d", resp.StatusCode)
	}
	card := a.post("/v1/payment_methods/pm_card_visa/attach", "customer", first.text("id")).text("id")
	a.post("/v1/customers/"+first.text("id"), "invoice_settings[default_payment_method]", card)
	if resp, _ := post("k3", "/v1/invoices/"+draft+"/pay", ""); resp.StatusCode != 400 {
		t.Errorf("the refusal was forgotten: %d", resp.StatusCode)
	}
	if resp, got := post("k4", "/v1/invoices/"+draft+"/pay", ""); resp.StatusCode != 200 || got.text("status") != "paid" {
		t.Errorf("with another key: %d %v", resp.StatusCode, got)
	}
	if resp, _ := post(strings.Repeat("k", 256), "/v1/customers", ""); resp.StatusCode != 400 {
		t.Errorf("a key of 256 characters: %d", resp.StatusCode)
	}
	a.Kit.Clock.Advance(25 * time.Hour)
	if _, got := post("k1", "/v1/customers", "name=A&email=a%40example.com"); got.text("id") == first.text("id") {
		t.Error("the key is remembered for more than a day")
	}
}

func TestKeyInFlight(t *testing.T) {
	t.Parallel()
	a := open(t, func(o *stripe.Options) { o.Limits.Latency = 300 * time.Millisecond })
	statuses := make(chan int, 4)
	for range cap(statuses) {
		go func() {
			resp, _ := a.send("POST", "/v1/customers", "name=A", "Idempotency-Key", "k")
			statuses <- resp.StatusCode
		}()
	}
	seen := map[int]int{}
	for range cap(statuses) {
		seen[<-statuses]++
	}
	if seen[200] < 1 || seen[200]+seen[409] != 4 || seen[409] == 0 {
		t.Errorf("answers %v", seen)
	}
	if n := len(a.get("/v1/customers")["data"].([]any)); n != 1 {
		t.Errorf("%d customers", n)
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	a := open(t, func(o *stripe.Options) { o.Limits.RequestsPerSecond = 3 })
	seen := map[int]int{}
	for range 10 {
		resp, _ := a.send("GET", "/v1/customers", "")
		seen[resp.StatusCode]++
	}
	if seen[200] < 3 || seen[429] == 0 {
		t.Errorf("answers %v", seen)
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	a := open(t)
	var ids []string
	for i := range 25 {
		ids = append([]string{a.post("/v1/customers", "email", fmt.Sprintf("%d@example.com", i%5)).text("id")}, ids...)
		a.Kit.Clock.Advance(time.Second)
	}
	list := func(pairs ...string) (string, any) {
		o := a.get("/v1/customers", pairs...)
		return o.ids("data"), o.at("has_more")
	}
	for name, tt := range map[string]struct {
		pairs []string
		want  []string
		more  bool
	}{
		"default page":  {nil, ids[:10], true},
		"limit":         {[]string{"limit", "3"}, ids[:3], true},
		"next page":     {[]string{"limit", "10", "starting_after", ids[9]}, ids[10:20], true},
		"last page":     {[]string{"limit", "10", "starting_after", ids[19]}, ids[20:], false},
		"page before":   {[]string{"limit", "10", "ending_before", ids[20]}, ids[10:20], true},
		"first page":    {[]string{"limit", "10", "ending_before", ids[5]}, ids[:5], false},
		"all":           {[]string{"limit", "100"}, ids, false},
		"filter":        {[]string{"limit", "2", "email", "4@example.com"}, []string{ids[0], ids[5]}, true},
		"created after": {[]string{"created[gte]", fmt.Sprint(start.Unix() + 23)}, ids[:2], false},
		"created until": {[]string{"created[lt]", fmt.Sprint(start.Unix() + 2)}, ids[23:], false},
		"created at":    {[]string{"created", fmt.Sprint(start.Unix())}, ids[24:], false},
	} {
		got, more := list(tt.pairs...)
		if got != strings.Join(tt.want, " ") || more != tt.more {
			t.Errorf("%s: %s more=%v, want %v", name, got, more, tt.want)
		}
	}
	a.want(400, "GET", "/v1/customers", "limit", "101")
	a.want(400, "GET", "/v1/customers", "starting_after", "cus_none")
	a.want(400, "GET", "/v1/customers", "sort", "name")
}

func TestSearch(t *testing.T) {
	t.Parallel()
	a := open(t)
	one := a.post("/v1/customers", "name", "Ada", "metadata[organization_id]", "o-1", "metadata[tier]", "gold").text("id")
	a.Kit.Clock.Advance(time.Second)
	two := a.post("/v1/customers", "name", "Bo's \"shop\"", "email", "Bo@example.com", "metadata[organization_id]", "o-2").text("id")
	search := func(query string) string { return a.get("/v1/customers/search", "query", query).ids("data") }
	if got := search(`metadata['organization_id']:'o-1'`); got != "" {
		t.Errorf("found %s before the index could have it", got)
	}
	a.Kit.Clock.Advance(2 * time.Minute)
	for query, want := range map[string]string{
		`metadata['organization_id']:'o-1'`:                         one,
		`metadata["organization_id"]:"o-2"`:                         two,
		`metadata['organization_id']:'o-3'`:                         "",
		`name:"ada" AND metadata['tier']:'gold'`:                    one,
		`name:"ada" metadata['tier']:'silver'`:                      "",
		`name~"shop" OR name:"Ada"`:                                 two + " " + one,
		`-metadata['tier']:'gold'`:                                  two,
		`metadata['tier']:null`:                                     two,
		`email:'bo@example.com'`:                                    two,
		`name:'Bo\'s "shop"'`:                                       two,
		`created>` + fmt.Sprint(start.Unix()):                       two,
		`created<=` + fmt.Sprint(start.Unix()) + ` AND name~"a"`:    one,
		`created>=` + fmt.Sprint(start.Unix()+1) + ` AND name~"ad"`: "",
	} {
		if got := search(query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{"", "name", "name:", `name:"a" AND name:"b" OR name:"c"`, `metadata[x]:'y'`} {
		a.want(400, "GET", "/v1/customers/search", "query", query)
	}
	// A search sees a change after a delay. Until then it returns the old state.
	a.post("/v1/customers/"+one, "metadata[tier]", "iron")
	if got := search(`metadata['tier']:'gold'`); got != one {
		t.Errorf("the old state is gone at once: %q", got)
	}
	a.Kit.Clock.Advance(2 * time.Minute)
	if got := search(`metadata['tier']:'iron'`) + search(`metadata['tier']:'gold'`); got != one {
		t.Errorf("after the lag: %q", got)
	}
	page := a.get("/v1/customers/search", "query", `created>1`, "limit", "1")
	next := a.get("/v1/customers/search", "query", `created>1`, "limit", "1", "page", page.text("next_page"))
	if page.ids("data") != two || page.at("has_more") != true || next.ids("data") != one || next.at("has_more") != false {
		t.Errorf("pages %v, %v", page, next)
	}
	a.want(200, "DELETE", "/v1/customers/"+one)
	a.Kit.Clock.Advance(2 * time.Minute)
	if got := search(`name:"ada"`); got != "" {
		t.Errorf("the deleted %s is found", got)
	}
}
