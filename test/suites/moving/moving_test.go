package moving

import (
	"bytes"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/test/lib/harness"
)

const waitTimeout = 30 * time.Second

// source is the data of an installation before the transfer.
type source struct {
	org       harness.Organization
	documents []string // extracted documents
	waiting   string   // a document that is not extracted
	ledger    string   // id of the integration
	events    string   // cursor after all events
}

// TestInstallationRoundTrip transfers an installation from SQLite and a folder to
// PostgreSQL and an object store, uses it there, and transfers it back.
func TestInstallationRoundTrip(t *testing.T) {
	t.Parallel()
	ledger, _ := harness.NewLedgerA(t)
	store, _ := harness.NewStoreB(t)
	with := func(o harness.Options) harness.Options {
		o = o.With(ledger).WithStore(store)
		o.Env["POLL_INTERVAL"] = "2s"
		return o
	}
	from := with(embedded(t))
	var src source
	t.Run("before", func(t *testing.T) { src = furnish(t, from, ledger, store) })
	first, sums := dump(t, from)
	for _, table := range sums.Tables {
		if strings.Contains(" organizations users memberships sessions entities settings documents invoices invoice_lines events usage_counters "+
			"usage_shares idempotency_keys grants integrations provider_meters watches watch_nodes watch_versions ", " "+table.Table+" ") && table.Rows == 0 {
			t.Errorf("no row of %s was transferred", table.Table)
		}
	}

	there := with(served(t))
	move(t, first, sums, there)
	t.Run("on PostgreSQL", func(t *testing.T) { src.wantAlive(t, harness.Start(t, there), "second.xml") })

	second, sums := dump(t, there)
	back := with(embedded(t))
	move(t, second, sums, back)
	t.Run("back on SQLite", func(t *testing.T) { src.wantAlive(t, harness.Start(t, back), "third.xml") })
}

// move loads a dump. A dump of the result must have the same bytes.
func move(t *testing.T, file string, sums service.Sums, to harness.Options) {
	t.Helper()
	loaded, err := load(t, to, file)
	must(t, err)
	if !reflect.DeepEqual(loaded, sums) {
		t.Errorf("loaded %+v\nof %+v", loaded, sums)
	}
	again, _ := dump(t, to)
	if !bytes.Equal(read(t, file), read(t, again)) {
		t.Error("the dump of the copy differs")
	}
}

// furnish creates rows of many kinds through the API.
func furnish(t *testing.T, o harness.Options, ledger *harness.Ledger, store *harness.Store) (src source) {
	t.Run("with workers", func(t *testing.T) {
		s := harness.Start(t, o)
		org := s.NewOrganization("Moved")
		src.org = org
		src.ledger = s.Activate(org, org.Entity, ledger, ledger.Tenants[0])
		store.Add("", "watched.xml", harness.UBL("WATCHED"))
		s.Watch(org, org.Entity, store)
		for name, content := range map[string][]byte{"first.xml": harness.UBL("FIRST"), "two.xml": harness.TwoInvoices("TWO")} {
			up := s.Upload(org.Admin.Token, org.Entity, name, content, "Idempotency-Key", name).OK().Text("id")
			src.documents = append(src.documents, up)
		}
		s.Eventually("four invoices", waitTimeout, func() bool { return invoices(s, org) == 4 }, func() string { return "" })
	})
	o.NoWorkers = true
	t.Run("without workers", func(t *testing.T) {
		s := harness.Start(t, o)
		src.waiting = s.Upload(src.org.Admin.Token, src.org.Entity, "waiting.xml", harness.UBL("WAITING")).OK().Text("id")
		src.events = s.Do(http.MethodGet, "/api/events?limit=200", src.org.Admin.Token, nil).OK().Text("next_cursor")
	})
	return src
}

func invoices(s *harness.Server, org harness.Organization) int {
	return s.Do(http.MethodGet, "/api/invoices", org.Admin.Token, nil).OK().Len("items")
}

// wantAlive uses the copy like its users, with their existing credentials.
func (src *source) wantAlive(t *testing.T, s *harness.Server, name string) {
	token := src.org.Admin.Token // the session was transferred
	s.Login(src.org.Admin.Email)
	s.Eventually("the queued document", waitTimeout, func() bool {
		return s.Do(http.MethodGet, "/api/documents/"+src.waiting, token, nil).OK().Text("status") == "EXTRACTED"
	}, func() string { return "" })
	for _, id := range src.documents {
		s.Do(http.MethodGet, "/api/documents/"+id+"/content", token, nil).OK()
	}
	if up := s.Upload(token, src.org.Entity, "again.xml", harness.UBL("FIRST")).OK(); up.At("duplicate") != true {
		t.Errorf("a known document is new: %s", up.Raw)
	}
	up := s.Upload(token, src.org.Entity, name, harness.UBL(name)).OK().Text("id")
	s.Extract(token, up).OK()
	// A reader of the event log continues at the same position.
	more := s.Do(http.MethodGet, "/api/events?limit=200&after="+src.events, token, nil).OK()
	if !strings.Contains(string(more.Raw), up) {
		t.Errorf("the events after the transfer do not follow the earlier ones: %s", more.Raw)
	}
	src.events = more.Text("next_cursor")
	// Encrypted tokens can be decrypted, and the provider accepts them.
	s.Do(http.MethodGet, "/api/v1/integrations/"+src.ledger+"/accounting-accounts", token, nil).OK()
}
