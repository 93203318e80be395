package integration_test

import (
	"testing"
	"time"

	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"

	"github.com/google/uuid"
)

func TestProvidersAndReasons(t *testing.T) {
	t.Parallel()
	catalog := integration.Catalog{{Code: integration.AccountingA}, {Code: integration.DocstoreA, CaseInsensitive: true}, {Code: "ACCOUNTING_C"}}
	for p, want := range map[integration.Provider]integration.Type{
		integration.AccountingA: integration.Accounting, integration.DocstoreA: integration.Trigger, "ACCOUNTING_C": integration.Accounting,
	} {
		if got, err := catalog.Parse("provider", string(p)); err != nil || got != p || p.Type() != want {
			t.Errorf("%s: %s, %v, type %s", p, got, err, p.Type())
		}
	}
	for _, wrong := range []string{"", "accounting_a", "ACCOUNTING_B"} {
		if _, err := catalog.Parse("provider", wrong); fault.CodeOf(err) != fault.CodeInvalidRequest {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if !catalog.Find(integration.DocstoreA).CaseInsensitive || catalog.Find("DOCSTORE_Z").Code != "DOCSTORE_Z" {
		t.Error("a descriptor is not found, or one is made up")
	}
	for _, r := range integration.Reasons() {
		if r.Text() == "" {
			t.Errorf("%s says nothing", r)
		}
	}
}

// TestConsent walks what a consent makes of an integration.
func TestConsent(t *testing.T) {
	t.Parallel()
	set := &integration.AccountingMetadata{Tenant: "one"}
	for name, test := range map[string]struct {
		status    integration.Status
		meta      *integration.AccountingMetadata
		reachable []string
		want      integration.Status
		reason    integration.Reason
	}{
		"first":                   {integration.Pending, nil, []string{"one"}, integration.Pending, integration.SetupMissing},
		"before set-up":           {integration.Failed, nil, nil, integration.Pending, integration.SetupMissing},
		"unverified":              {integration.Pending, set, []string{"one"}, integration.Pending, integration.VerificationPending},
		"again":                   {integration.Active, set, []string{"two", "one"}, integration.Active, ""},
		"recovers":                {integration.Failed, set, []string{"one"}, integration.Active, ""},
		"recovers without a list": {integration.Failed, set, nil, integration.Active, ""},
		"other tenant":            {integration.Active, set, []string{"two"}, integration.Failed, integration.TenantChanged},
		"no tenant any more":      {integration.Failed, set, []string{}, integration.Failed, integration.TenantChanged},
	} {
		i := integration.New(uuid.New(), uuid.New(), uuid.New(), integration.AccountingA)
		i.Status, i.Accounting = test.status, test.meta
		grant := uuid.New()
		i.Consented(grant, test.reachable)
		if i.Status != test.want || i.Reason != test.reason || i.GrantID != grant {
			t.Errorf("%s: %s %q", name, i.Status, i.Reason)
		}
	}
}

// TestStepsOutOfOrder names the step that is missing.
func TestStepsOutOfOrder(t *testing.T) {
	t.Parallel()
	fresh := func(change func(*integration.Integration)) *integration.Integration {
		i := integration.New(uuid.New(), uuid.New(), uuid.New(), integration.AccountingA)
		change(i)
		return i
	}
	for name, test := range map[string]struct {
		i    *integration.Integration
		step any
	}{
		"nothing done": {fresh(func(*integration.Integration) {}), "authorize"},
		"consented":    {fresh(func(i *integration.Integration) { i.Consented(uuid.New(), nil) }), "set_up"},
		"not verified": {fresh(func(i *integration.Integration) {
			i.Consented(uuid.New(), nil)
			i.Accounting = &integration.AccountingMetadata{Tenant: "one"}
			i.Unverified()
		}), "verify"},
		"failed": {fresh(func(i *integration.Integration) {
			i.Consented(uuid.New(), nil)
			i.Fail(integration.ReconnectNeeded)
		}), "connect"},
	} {
		f, ok := fault.As(test.i.RequireActive())
		if !ok || f.Kind != fault.Conflict || f.Details["missing_step"] != test.step {
			t.Errorf("%s: %v", name, f)
		}
	}
	ended := fresh(func(i *integration.Integration) { i.Disconnect(integration.EndedHere) })
	ended.Fail(integration.AccessLost)
	if ended.Status != integration.Disconnected || fault.CodeOf(ended.RequireConnectable()) != fault.CodeConflict || fault.CodeOf(ended.RequireActive()) != fault.CodeConflict {
		t.Errorf("after its end: %+v", ended)
	}
	works := fresh(func(i *integration.Integration) { i.Consented(uuid.New(), nil); i.Verified() })
	if err := works.RequireActive(); err != nil {
		t.Error(err)
	}
	if fault.CodeOf(works.RequireType(integration.Trigger)) != fault.CodeInvalidRequest || works.RequireType(integration.Accounting) != nil {
		t.Error("the type is not held")
	}
}

func TestFreshness(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	g := &integration.Grant{Tokens: integration.Tokens{
		Access: secret.New("a"), Refresh: secret.New("r"), AccessExpiresAt: now.Add(30 * time.Minute), Scopes: []string{"x"},
	}}
	if !g.Fresh(now, secret.Text{}) || !g.Fresh(now, secret.New("former")) {
		t.Error("a good token passes for a stale one")
	}
	if g.Fresh(now, secret.New("a")) || g.Fresh(now.Add(28*time.Minute), secret.Text{}) {
		t.Error("a refused or ending token passes for a good one")
	}
	g.Ended = true
	if g.Fresh(now, secret.Text{}) {
		t.Error("an ended grant passes for a good one")
	}
	g.Renewed(integration.Tokens{Access: secret.New("b"), Refresh: secret.New("s"), AccessExpiresAt: now.Add(time.Hour)})
	if g.Ended || g.Generation != 1 || len(g.Tokens.Scopes) != 1 || !g.Fresh(now, secret.New("a")) {
		t.Errorf("after a renewal: %+v", g)
	}
}
