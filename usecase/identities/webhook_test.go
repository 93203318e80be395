package identities_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	simclerk "docledger/adapter/sim/clerk"
	domainevent "docledger/domain/event"
	"docledger/domain/identity"
	"docledger/domain/inbox"
	"docledger/domain/page"
	"docledger/test/lib/harness"
)

// terms are the metadata that the contract requires for an organization created
// on 30 March (UTC).
var terms = map[string]any{
	"trial_expiry_date": "2026-04-02", "trial_max_entities": float64(10), "trial_max_invoices_per_month": float64(300),
}

// TestOrganizationEventsEndInOneState delivers the creation, a change and the
// echo of docledger's own write in every order, each once or twice. The result
// is one organization, one payment customer and the same metadata, written
// once.
func TestOrganizationEventsEndInOneState(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		events := []event{
			newEvent("msg_created", "organization.created", acme), newEvent("msg_updated", "organization.updated", acme),
			newEvent("msg_echo", "organization.updated", acme),
		}
		w := open(t, o, func(p *simclerk.Options) {
			for i := range permutations(len(events)) {
				for twice := range 1 << len(events) {
					p.Organizations = append(p.Organizations, simclerk.Organization{
						ID: fmt.Sprintf("org_%d_%d", i, twice), Name: "Acme", CreatedAt: created, UpdatedAt: created,
					})
				}
			}
		})
		for i, order := range permutations(len(events)) {
			for twice := range 1 << len(events) {
				name := fmt.Sprintf("order %v, twice %03b", order, twice)
				organization := fmt.Sprintf("org_%d_%d", i, twice)
				for _, at := range order {
					e := newEvent(fmt.Sprintf("%s_%s", events[at].id, organization), events[at].kind, organization)
					w.deliver(e).OK()
					if twice&(1<<at) != 0 {
						w.deliver(e).OK()
					}
				}
				if got := w.metadata(organization); !reflect.DeepEqual(got, terms) {
					t.Errorf("%s: metadata %v", name, got)
				}
				if stored := w.organization(organization); stored.PaymentCustomerID == "" || stored.Name != "Acme" || !stored.CreatedAt.Equal(created) {
					t.Errorf("%s: organization %+v", name, stored)
				}
			}
		}
		const worlds = 6 * 8
		if n := len(w.customers()); n != worlds {
			t.Errorf("%d payment customers, want %d", n, worlds)
		}
		if n := w.writes(); n != worlds {
			t.Errorf("the metadata was written %d times, want %d", n, worlds)
		}
	})
}

func permutations(n int) (out [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, p := range permutations(n - 1) {
		for at := range n {
			q := append(append(append([]int{}, p[:at]...), n-1), p[at:]...)
			out = append(out, q)
		}
	}
	return out
}

// TestTrialExtensionIsKept replays the creation after an owner extended the trial at
// the identity provider. The extension stays.
func TestTrialExtensionIsKept(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	w.deliver(newEvent("msg_1", "organization.created", acme)).OK()
	w.api(http.MethodPut, "/v1/organizations/"+acme+"/metadata",
		`{"public_metadata":{"trial_expiry_date":"2030-01-31","trial_max_entities":50,"trial_max_invoices_per_month":900,"theirs":"kept"}}`)
	w.deliver(newEvent("msg_2", "organization.updated", acme)).OK()
	w.deliver(newEvent("msg_3", "organization.created", acme)).OK()
	if n := w.writes(); n != 1 {
		t.Errorf("the metadata was written %d times", n)
	}
	if got := w.metadata(acme)["theirs"]; got != "kept" {
		t.Errorf("metadata %v", w.metadata(acme))
	}
	token := w.provider.Session(ada, acme, plain)
	r := w.Do(http.MethodGet, "/api/billing", token, nil).OK()
	if r.Text("trial", "expiry_date") != "2030-01-31" || r.Number("limits", "max_entities") != 50 || r.Number("limits", "max_invoices_per_month") != 900 {
		t.Errorf("billing %s", r.Raw)
	}
}

// TestRemovedTrialIsNotRestored removes the last day at the identity provider. The
// organization then has no trial, and no replay restores it.
func TestRemovedTrialIsNotRestored(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	w.deliver(newEvent("msg_1", "organization.created", acme)).OK()
	token := w.provider.Session(ada, acme, plain)
	if r := w.Do(http.MethodGet, "/api/billing", token, nil).OK(); r.Text("subscription_status") != "trial_expired" {
		t.Errorf("billing %s", r.Raw)
	}
	w.api(http.MethodPut, "/v1/organizations/"+acme+"/metadata", `{"public_metadata":{}}`)
	w.deliver(newEvent("msg_2", "organization.updated", acme)).OK()
	for range 2 {
		if r := w.Do(http.MethodGet, "/api/billing", token, nil).OK(); r.Text("subscription_status") != "none" {
			t.Errorf("billing %s", r.Raw)
		}
		w.deliver(newEvent("msg_3", "organization.created", acme)).OK()
	}
	if n := w.writes(); n != 1 {
		t.Errorf("the metadata was written %d times", n)
	}
}

// TestEventsAreRetried fails each call of an event once. The next attempt of the job
// ends in the same state.
func TestEventsAreRetried(t *testing.T) {
	t.Parallel()
	for _, match := range []string{"GET /v1/organizations/*", "PATCH /v1/organizations/*/metadata"} {
		for _, action := range []string{"status:503", "status:429", "drop", "commit_then_drop", "garbage"} {
			t.Run(match+" "+action, func(t *testing.T) {
				t.Parallel()
				w := open(t, harness.Options{})
				w.fault(match, action, 1)
				w.deliver(newEvent("msg_1", "organization.created", acme)).OK()
				if got := w.metadata(acme); !reflect.DeepEqual(got, terms) {
					t.Errorf("metadata %v", got)
				}
				if n := len(w.customers()); n != 1 {
					t.Errorf("%d customers", n)
				}
			})
		}
	}
}

// TestSignatures verifies that missing, wrong and old signatures are refused.
func TestSignatures(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	e := newEvent("msg_1", "organization.created", acme)
	now := time.Now()
	good := harness.SignedHeaders(e.id, now, e.body, harness.ProviderSigningSecret)
	send := func(body []byte, headers ...string) harness.Response {
		return w.Send(http.MethodPost, "/webhook/identity", "", bytes.NewReader(body), headers...)
	}
	for name, r := range map[string]harness.Response{
		"unsigned":           send(e.body, "Content-Type", "application/json"),
		"another secret":     send(e.body, harness.SignedHeaders(e.id, now, e.body, "whsec_YW5vdGhlciBzZWNyZXQ=")...),
		"changed body":       send(append(e.body, ' '), good...),
		"too old":            send(e.body, harness.SignedHeaders(e.id, now.Add(-6*time.Minute), e.body, harness.ProviderSigningSecret)...),
		"from the future":    send(e.body, harness.SignedHeaders(e.id, now.Add(6*time.Minute), e.body, harness.ProviderSigningSecret)...),
		"another message id": send(e.body, harness.SignedHeaders("msg_2", now, e.body, harness.ProviderSigningSecret)[:2]...),
	} {
		t.Run(name, func(t *testing.T) { r.Want(http.StatusBadRequest, "invalid_signature") })
	}
	send(e.body, good...).OK()
	listed, err := w.Service.Inbox.Inbox.Unfinished(context.Background(), now.Add(time.Hour), 10)
	if err != nil || len(listed) != 1 {
		t.Errorf("%d messages are stored, %v", len(listed), err)
	}
	// Ignored event types are accepted.
	w.deliver(newEvent("msg_3", "user.created", ada)).OK()
	w.deliver(newEvent("msg_4", "organization.deleted", zeta)).OK()
}

// TestEventWithoutBody verifies that a signed event without a body is stored and logged as one that
// cannot be interpreted.
func TestEventWithoutBody(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		w := open(t, o)
		for range 2 {
			w.deliver(event{id: "msg_empty"}).OK()
		}
		kept, err := w.Service.Inbox.Inbox.ForOperator(t.Context(), inbox.Filter{}, page.Request{})
		if err != nil || len(kept.Items) != 1 || kept.Items[0].State != inbox.Failed || kept.Items[0].EventID != "msg_empty" {
			t.Fatalf("kept %+v, %v", kept.Items, err)
		}
		if text := w.log.String(); strings.Count(text, "signed event cannot be interpreted") != 1 || strings.Contains(text, "NOT NULL") {
			t.Errorf("logged %s", text)
		}
	})
}

// TestOwnWriteCausesNoLoop processes the events that docledger's own write causes.
func TestOwnWriteCausesNoLoop(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	w.control(http.MethodPost, "endpoints", `{"url":"`+w.URL+`/webhook/identity","secrets":["`+harness.ProviderSigningSecret+`"]}`)
	if _, err := w.provider.Announce("organization.created", acme); err != nil {
		t.Fatal(err)
	}
	for range 5 { // each round processes the events of the previous one
		if err := w.provider.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.process()
	}
	if n := w.writes(); n != 1 {
		t.Errorf("the metadata was written %d times", n)
	}
	all, err := w.Service.Inbox.List(t.Context(), inbox.Filter{}, page.Request{})
	if err != nil || len(all.Items) != 2 {
		t.Errorf("%d events arrived, want the creation and its echo: %v", len(all.Items), err)
	}
}

// TestCustomerFollowsTheName renames an organization at the provider.
func TestCustomerFollowsTheName(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	w.deliver(newEvent("msg_1", "organization.created", acme)).OK()
	if id := w.organization(acme).PaymentCustomerID; id == "" {
		t.Error("no payment customer")
	}
	status, body := w.processor.Do(http.MethodGet, "/v1/customers/"+w.organization(acme).PaymentCustomerID, nil)
	if status != http.StatusOK || body["name"] != "Acme" {
		t.Errorf("the customer is %d %v", status, body)
	}
	w.api(http.MethodPatch, "/v1/organizations/"+acme, `{"name":"Acme & Daughters"}`)
	w.deliver(newEvent("msg_2", "organization.updated", acme)).OK()
	if _, body := w.processor.Do(http.MethodGet, "/v1/customers/"+w.organization(acme).PaymentCustomerID, nil); body["name"] != "Acme & Daughters" {
		t.Errorf("the customer is %v", body)
	}
}

// TestDeletedOrganizationBecomesInactive deletes an organization at the provider. Its data stays, and
// nothing new is accepted until the provider has it again.
func TestDeletedOrganizationBecomesInactive(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		w := open(t, o)
		w.deliver(newEvent("msg_created", "organization.created", acme)).OK()
		w.deliver(newEvent("msg_false", "organization.deleted", acme)).OK() // the provider has it
		if stored := w.organization(acme); !stored.InactiveSince.IsZero() {
			t.Error("an event alone made the organization inactive")
		}
		w.api(http.MethodDelete, "/v1/organizations/"+acme, "")
		for _, id := range []string{"msg_deleted", "msg_again"} {
			w.deliver(newEvent(id, "organization.deleted", acme)).OK()
		}
		stored := w.organization(acme)
		if stored.InactiveSince.IsZero() || stored.Name != "Acme" {
			t.Fatalf("the organization is %+v", stored)
		}
		plan, err := w.Service.Documents.Plans.Of(context.Background(), stored.ID)
		if err != nil || plan.Writable {
			t.Errorf("the plan is %+v (%v)", plan, err)
		}
		events, err := w.Service.Events.List(context.Background(), identity.System(stored.ID).Scope(),
			domainevent.Filter{Types: []domainevent.Type{domainevent.OrganizationDeactivated}}, page.Request{})
		if err != nil || len(events.Items) != 1 {
			t.Errorf("%d events (%v)", len(events.Items), err)
		}
	})
}
