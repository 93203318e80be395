package accountingtest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"docledger/domain/accounting"
	"docledger/domain/fault"
	"docledger/domain/integration"
)

func (b bundle) accounts(t testing.TB, a integration.Access, f accounting.ClassFilter) []accounting.Account {
	t.Helper()
	return must[[]accounting.Account](t)(b.Accounts.Accounts(context.Background(), a, f))
}

// classes returns the classes of the provider's charts: its own types, or the classes of those.
func (b bundle) classes() []string {
	if b.Provider.ClassesAreTypes {
		return b.Provider.AccountTypes
	}
	var names []string
	for _, t := range b.Provider.AccountTypes {
		if class, _ := b.Provider.AccountClass(t); !slices.Contains(names, class) {
			names = append(names, class)
		}
	}
	return names
}

// class returns the class of an account by the provider's descriptor.
func (b bundle) class(a accounting.Account) accounting.AccountClass {
	if b.Provider.ClassesAreTypes {
		class, _ := b.Provider.AccountClass(a.Class)
		return accounting.AccountClass(class)
	}
	return accounting.AccountClass(a.Class)
}

func testEveryType(t *testing.T, b bundle) {
	for _, tenant := range b.Tenants() {
		seen, types := map[string]bool{}, map[string]bool{}
		for _, a := range b.accounts(t, b.enter(t, tenant), nil) {
			seen[a.Class], types[a.Type] = true, true
			if a.ID == "" || a.Name == "" || a.Type == "" || a.Class == "" || a.State == "" {
				t.Errorf("account %+v", a)
			}
			if class, known := b.Provider.AccountClass(a.Type); !b.Provider.ClassesAreTypes && (class != a.Class || known == a.Unmapped) {
				t.Errorf("account %+v: the descriptor states %s, known %t", a, class, known)
			}
		}
		for _, class := range b.classes() {
			if !seen[class] {
				t.Errorf("tenant %s: no account of class %s", tenant, class)
			}
		}
		if !b.Provider.ClassesAreTypes {
			for _, name := range b.Provider.AccountTypes {
				if !types[name] {
					t.Errorf("tenant %s: no account of type %s", tenant, name)
				}
			}
		}
	}
}

func testFilters(t *testing.T, b bundle) {
	a := b.enter(t, b.Tenants()[0])
	all := b.accounts(t, a, nil)
	for n := range 1 << len(accounting.Classes()) {
		var f accounting.ClassFilter
		for i, c := range accounting.Classes() {
			if n&(1<<i) != 0 {
				f = append(f, c)
			}
		}
		// The number of all filters is too large; filters with one, two and all classes are
		// sufficient.
		if len(f) == 0 || len(f) > 2 && len(f) < len(accounting.Classes()) {
			continue
		}
		want := map[string]bool{}
		for _, x := range all {
			if c := b.class(x); c != "" && f.Selects(c) {
				want[x.ID] = true
			}
		}
		got := map[string]bool{}
		for _, x := range b.accounts(t, a, f) {
			if got[x.ID] {
				t.Errorf("%v: account %s twice", f, x.ID)
			}
			got[x.ID] = true
			if x.Class == accounting.NonPosting {
				t.Errorf("%v selects %s", f, x.Class)
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%v selects %d accounts, want %d", f, len(got), len(want))
		}
	}
	for _, class := range accounting.Classes() {
		if b.Provider.ClassesAreTypes || slices.Contains(b.classes(), string(class)) {
			continue
		}
		before := b.Count(ListAccounts)
		if list := b.accounts(t, a, accounting.ClassFilter{class}); list == nil || len(list) != 0 {
			t.Errorf("accounts of class %s: %v", class, list)
		}
		if b.Count(ListAccounts) != before {
			t.Errorf("a list of class %s was requested, which is always empty", class)
		}
	}
}

func testArchivedAccount(t *testing.T, b bundle) {
	tenant := b.Tenants()[0]
	a := b.enter(t, tenant)
	of := b.accounts(t, a, accounting.ClassFilter{accounting.Expense})[0].Type
	archived := b.AddAccount(tenant, "Old & 'former' costs", of, true)
	live := b.AddAccount(tenant, "Ärger, \"Miete\"", of, false)
	want := map[string]accounting.State{archived: accounting.Archived, live: accounting.InUse}
	for _, f := range []accounting.ClassFilter{nil, {accounting.Expense}} {
		got := map[string]accounting.State{}
		for _, x := range b.accounts(t, a, f) {
			if _, ours := want[x.ID]; ours {
				got[x.ID] = x.State
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%v: states %v, want %v", f, got, want)
		}
	}
}

func testOtherLists(t *testing.T, b bundle) {
	ctx, a := context.Background(), b.enter(t, b.Tenants()[0])
	b.Seed(b.Tenants()[0], ListContacts, 10)
	states := map[accounting.State]int{}
	for _, c := range must[[]accounting.Contact](t)(b.Contacts.Contacts(ctx, a)) {
		states[c.State]++
		if c.ID == "" || c.Name == "" {
			t.Errorf("contact %+v", c)
		}
	}
	if states[accounting.InUse] == 0 || states[accounting.Archived] == 0 || len(states) != 2 {
		t.Errorf("contacts by state: %v", states)
	}
	usable := 0
	for _, r := range must[[]accounting.TaxRate](t)(b.TaxRates.TaxRates(ctx, a)) {
		if r.ID == "" || r.Name == "" || r.State == "" || r.Rate.Sign() < 0 {
			t.Errorf("tax rate %+v", r)
		}
		if r.Purchases && r.State == accounting.InUse {
			usable++
		}
	}
	if usable == 0 {
		t.Error("no tax rate is for purchases")
	}
	base := must[accounting.Organization](t)(b.Organizations.Organization(ctx, a)).BaseCurrency
	list := must[[]accounting.Currency](t)(b.Currencies.Currencies(ctx, a))
	if !slices.ContainsFunc(list, func(c accounting.Currency) bool { return c.Code == base && c.Name != "" }) {
		t.Errorf("currencies %v lack the base currency %s", list, base)
	}
}

// testComplete reads lists that have several pages at the provider.
func testComplete(t *testing.T, b bundle) {
	const count = 1200
	ctx, tenant := context.Background(), b.Tenants()[0]
	a := b.enter(t, tenant)
	names := map[List]func() []string{
		ListAccounts: func() []string {
			var out []string
			for _, x := range b.accounts(t, a, nil) {
				out = append(out, x.Name)
			}
			return out
		},
		ListContacts: func() []string {
			var out []string
			for _, x := range must[[]accounting.Contact](t)(b.Contacts.Contacts(ctx, a)) {
				out = append(out, x.Name)
			}
			return out
		},
		ListTaxRates: func() []string {
			var out []string
			for _, x := range must[[]accounting.TaxRate](t)(b.TaxRates.TaxRates(ctx, a)) {
				out = append(out, x.Name)
			}
			return out
		},
	}
	for l, read := range names {
		before := len(read())
		b.Seed(tenant, l, count)
		got := read()
		if len(got) != before+count {
			t.Errorf("%s: %d entries, want %d", l, len(got), before+count)
		}
		seen := map[string]int{}
		for _, name := range got {
			seen[name]++
		}
		for n := range count {
			if seen[seeded(n+1)] != 1 {
				t.Fatalf("%s: %q is listed %d times", l, seeded(n+1), seen[seeded(n+1)])
			}
		}
	}
}

func testTenantsApart(t *testing.T, b bundle) {
	one, two := b.Tenants()[0], b.Tenants()[1]
	b.Seed(one, ListContacts, 3)
	inTwo, err := b.Contacts.Contacts(context.Background(), b.enter(t, two))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range inTwo {
		if c.Name == seeded(1) {
			t.Errorf("tenant %s shows a contact of %s", two, one)
		}
	}
	// A consent for one tenant grants no access to another.
	only := b.enter(t, one)
	b.TakeOff(two)
	only.Tenant = two
	_, err = b.Accounts.Accounts(context.Background(), only, nil)
	if err == nil {
		t.Error("a consent to one tenant reads another")
	}
}

func testAccessRefused(t *testing.T, b bundle) {
	a := b.enter(t, b.Tenants()[0])
	for l, read := range b.reads() {
		b.Break(l, Status401, 1)
		_, err := read(context.Background(), a)
		b.Repair()
		if !errors.Is(err, integration.ErrAccessRefused) || fault.CodeOf(err) != fault.CodeProviderUnauthorized {
			t.Errorf("%s: %v, want ErrAccessRefused", l, err)
		}
		if err != nil && holds(err.Error(), a.Token) {
			t.Errorf("%s: the error shows the token", l)
		}
	}
}

func testTenantGone(t *testing.T, b bundle) {
	tenant := b.Tenants()[0]
	a := b.enter(t, tenant)
	b.TakeOff(tenant)
	for l, read := range b.reads() {
		if l == ListOrganizations {
			continue // the call names no tenant
		}
		_, err := read(context.Background(), a)
		if !errors.Is(err, integration.ErrTenantGone) && !errors.Is(err, integration.ErrAccessRefused) {
			t.Errorf("%s: %v, want ErrTenantGone", l, err)
		}
	}
}

func testOutages(t *testing.T, b bundle) {
	a := b.enter(t, b.Tenants()[0])
	for l, read := range b.reads() {
		for _, f := range []Failure{Status500, Status503, Dropped, NonsenseLost} {
			b.Break(l, f, 20)
			_, err := read(context.Background(), a)
			b.Repair()
			wantUnavailable(t, string(l)+" "+string(f), err)
		}
		b.Break(l, Status429, 20)
		_, err := read(context.Background(), a)
		b.Repair()
		if f, ok := fault.As(err); !ok || !errors.Is(err, integration.ErrRateLimited) || f.RetryAfter <= 0 {
			t.Errorf("%s: %v, want ErrRateLimited with a time to come back", l, err)
		}
	}
}

func testContexts(t *testing.T, b bundle) {
	a := b.enter(t, b.Tenants()[0])
	for l, read := range b.reads() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := read(ctx, a); !errors.Is(err, context.Canceled) {
			t.Errorf("%s with an ended context: %v", l, err)
		}
	}
}

// testHostileTenant uses a tenant id that tries to reach another address.
func testHostileTenant(t *testing.T, b bundle) {
	a := b.enter(t, b.Tenants()[0])
	for _, tenant := range []string{"../../" + b.Tenants()[0], b.Tenants()[0] + "/../" + b.Tenants()[0], "a\r\nX-Evil: 1", "?x=", "#", ""} {
		a.Tenant = tenant
		if _, err := b.Accounts.Accounts(context.Background(), a, nil); err == nil {
			t.Errorf("tenant %q reads accounts", tenant)
		}
	}
}
