package integrations

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/page"

	"github.com/google/uuid"
)

type (
	organizationReader = accounting.OrganizationReader
	accountReader      = accounting.AccountReader
	contactReader      = accounting.ContactReader
	taxRateReader      = accounting.TaxRateReader
	currencyReader     = accounting.CurrencyReader
)

const (
	// listTTL is how long a list is reused. A form that requests all lists and is opened twice
	// costs one provider call per list.
	listTTL = 30 * time.Second
	// listMemory is the time without a request after which a list is dropped. maxLists is the
	// maximum number of stored lists.
	listMemory = 2 * listTTL
	maxLists   = 256
)

// Part is a page request; a limit of 0 requests the whole list.
type Part struct {
	Limit  int
	Cursor string
	// Query is a part of a name or code; "" for all entries.
	Query string
}

// Organizations lists the tenants that the consent covers (interface 4.2, row 2), with the entities
// that use them.
func (s *Service) Organizations(
	ctx context.Context, a identity.Actor, id, entityID uuid.UUID, p Part,
) (page.Of[accounting.Organization], error) {
	var none page.Of[accounting.Organization]
	i, err := s.ofEntity(ctx, a, id, entityID)
	if err != nil {
		return none, err
	}
	list, err := s.organizations(ctx, i)
	if err != nil {
		return none, err
	}
	used, err := s.usedBy(ctx, a.Scope(), i)
	if err != nil {
		return none, err
	}
	for n := range list {
		list[n].UsedBy = used[list[n].ID]
	}
	return cut(list, p, "organizations", func(o accounting.Organization) string { return o.ID })
}

// organizations reads the covered tenants. The result is not cached, because another consent may
// change it at any time.
func (s *Service) organizations(ctx context.Context, i *integration.Integration) (list []accounting.Organization, err error) {
	if err := i.RequireType(integration.Accounting); err != nil {
		return nil, err
	}
	if err := i.RequireConsent(); err != nil {
		return nil, err
	}
	reader, err := capability[organizationReader](s, i)
	if err != nil {
		return nil, err
	}
	err = s.Tokens.With(ctx, i, false, func(ctx context.Context, a integration.Access) error {
		list, err = reader.Organizations(ctx, a)
		return err
	})
	return list, err
}

// usedBy returns, within a scope, the entity that uses each tenant.
func (s *Service) usedBy(ctx context.Context, scope identity.Scope, i *integration.Integration) (map[string]uuid.UUID, error) {
	all, err := s.Integrations.List(ctx, scope, integration.Filter{
		Provider: i.Provider, Statuses: []integration.Status{integration.Pending, integration.Active, integration.Failed},
	})
	used := map[string]uuid.UUID{}
	for _, other := range all {
		if tenant := other.Tenant(); tenant != "" {
			used[tenant] = other.EntityID
		}
	}
	return used, err
}

// Accounts lists the chart of accounts (row 4).
func (s *Service) Accounts(
	ctx context.Context, a identity.Actor, id uuid.UUID, f accounting.ClassFilter, p Part,
) (page.Of[accounting.Account], error) {
	var none page.Of[accounting.Account]
	i, err := s.readable(ctx, a, id)
	if err != nil {
		return none, err
	}
	list, err := s.accounts(ctx, i, f)
	if err != nil {
		return none, err
	}
	list = matching(list, p, func(x accounting.Account) []string { return []string{x.Code, x.Name} })
	return cut(list, p, fmt.Sprint("accounts", f), func(x accounting.Account) string { return x.ID })
}

func (s *Service) accounts(ctx context.Context, i *integration.Integration, f accounting.ClassFilter) ([]accounting.Account, error) {
	reader, err := capability[accountReader](s, i)
	if err != nil {
		return nil, err
	}
	f = slices.Clone(f)
	slices.Sort(f)
	return read(ctx, s, i, fmt.Sprint("accounts", f), func(ctx context.Context, a integration.Access) ([]accounting.Account, error) {
		list, err := reader.Accounts(ctx, a, f)
		s.warnUnmapped(ctx, i, list)
		return list, err
	})
}

// warnUnmapped logs the account types that the contract's table lacks, once per read (interface
// 4.2, rule 1).
func (s *Service) warnUnmapped(ctx context.Context, i *integration.Integration, list []accounting.Account) {
	var types []string
	for _, x := range list {
		if x.Unmapped && !slices.Contains(types, x.Type) {
			types = append(types, x.Type)
		}
	}
	if len(types) > 0 {
		s.Log.WarnContext(ctx, "unknown account types",
			"integration", i.ID, "provider", i.Provider, "types", types)
	}
}

// CheckLedger returns a fault if an entity cannot sync through the integration. field is the
// request's field name.
func (s *Service) CheckLedger(ctx context.Context, a identity.Actor, entityID, id uuid.UUID, field string) error {
	i, err := s.Integrations.Get(ctx, a.Scope(), id)
	if fault.CodeOf(err) == fault.CodeNotFound || err == nil && (i.EntityID != entityID || i.RequireType(integration.Accounting) != nil || i.RequireActive() != nil) {
		return fault.InvalidField(field, "is not an active accounting integration of this entity")
	}
	return err
}

// CheckAccount returns a fault if an account cannot be used for bills. It checks nothing while the
// integration does not work. field is the request's field name.
func (s *Service) CheckAccount(ctx context.Context, a identity.Actor, id uuid.UUID, account, field string) error {
	return s.CheckAccounts(ctx, a, id, map[string]string{field: account})
}

// CheckAccounts checks several accounts as CheckAccount does, keyed by field name. It reads the
// chart of accounts once.
func (s *Service) CheckAccounts(ctx context.Context, a identity.Actor, id uuid.UUID, accounts map[string]string) error {
	i, err := s.Integrations.Get(ctx, a.Scope(), id)
	if err != nil {
		return err
	}
	if i.RequireActive() != nil {
		return nil
	}
	list, err := s.accounts(ctx, i, nil)
	if err != nil {
		return err
	}
	byID := make(map[string]accounting.Account, len(list))
	for _, x := range list {
		byID[x.ID] = x
	}
	for _, field := range slices.Sorted(maps.Keys(accounts)) {
		x, ok := byID[accounts[field]]
		if !ok {
			return fault.InvalidField(field, "is not an account of the ledger; GET /api/v1/integrations/%s/accounting-accounts lists them", id)
		}
		if err := x.RequireBookable(field); err != nil {
			return err
		}
	}
	return nil
}

// Contacts lists contacts and vendors (row 5).
func (s *Service) Contacts(ctx context.Context, a identity.Actor, id uuid.UUID, p Part) (page.Of[accounting.Contact], error) {
	return listed(ctx, s, a, id, p, "contacts", func(r contactReader) func(context.Context, integration.Access) ([]accounting.Contact, error) {
		return r.Contacts
	}, func(x accounting.Contact) string { return x.ID }, func(x accounting.Contact) []string { return []string{x.Name, x.Email, x.TaxID} })
}

// TaxRates lists tax rates (row 6).
func (s *Service) TaxRates(ctx context.Context, a identity.Actor, id uuid.UUID, p Part) (page.Of[accounting.TaxRate], error) {
	return listed(ctx, s, a, id, p, "tax rates", func(r taxRateReader) func(context.Context, integration.Access) ([]accounting.TaxRate, error) {
		return r.TaxRates
	}, func(x accounting.TaxRate) string { return x.ID }, func(x accounting.TaxRate) []string { return []string{x.Name} })
}

// Currencies lists currencies (row 7).
func (s *Service) Currencies(ctx context.Context, a identity.Actor, id uuid.UUID, p Part) (page.Of[accounting.Currency], error) {
	return listed(ctx, s, a, id, p, "currencies", func(r currencyReader) func(context.Context, integration.Access) ([]accounting.Currency, error) {
		return r.Currencies
	}, func(x accounting.Currency) string { return x.Code }, func(x accounting.Currency) []string { return []string{x.Code, x.Name} })
}

// listed returns a page of a list that a capability reads.
func listed[C, T any](
	ctx context.Context, s *Service, a identity.Actor, id uuid.UUID, p Part, name string,
	method func(C) func(context.Context, integration.Access) ([]T, error), key func(T) string, texts func(T) []string,
) (page.Of[T], error) {
	i, err := s.readable(ctx, a, id)
	if err != nil {
		return page.Of[T]{}, err
	}
	reader, err := capability[C](s, i)
	if err != nil {
		return page.Of[T]{}, err
	}
	list, err := read(ctx, s, i, name, method(reader))
	if err != nil {
		return page.Of[T]{}, err
	}
	return cut(matching(list, p, texts), p, name, key)
}

// matching returns the entries that have the query of a part in one of their texts. It ignores
// case.
func matching[T any](list []T, p Part, texts func(T) []string) []T {
	if p.Query == "" {
		return list
	}
	query := strings.ToLower(p.Query)
	return slices.DeleteFunc(list, func(x T) bool {
		return !slices.ContainsFunc(texts(x), func(text string) bool { return strings.Contains(strings.ToLower(text), query) })
	})
}

// readable returns an integration whose ledger can be read.
func (s *Service) readable(ctx context.Context, a identity.Actor, id uuid.UUID) (*integration.Integration, error) {
	i, err := s.Integrations.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	if err := i.RequireType(integration.Accounting); err != nil {
		return nil, err
	}
	return i, i.RequireActive()
}

// capability returns a capability of the integration's connector.
func capability[C any](s *Service, i *integration.Integration) (C, error) {
	var none C
	connector, err := s.connector(i.Provider, "integrationId")
	if err != nil {
		return none, err
	}
	c, ok := connector.(C)
	if !ok {
		return none, fault.InvalidField("integrationId", "is an integration of %s, which has no such list", i.Provider)
	}
	return c, nil
}

// read returns a cached list or reads it. Concurrent callers share one read.
func read[T any](
	ctx context.Context, s *Service, i *integration.Integration, name string,
	fetch func(context.Context, integration.Access) ([]T, error),
) ([]T, error) {
	entry := s.lists.entry(listKey{i.ID, i.GrantID, i.Tenant(), name}, s.Clock.Now())
	if err := entry.lock(ctx); err != nil {
		return nil, err
	}
	defer entry.unlock()
	if list, ok := entry.list.([]T); ok && s.Clock.Now().Before(entry.until) {
		return slices.Clone(list), nil
	}
	var list []T
	err := s.Tokens.With(ctx, i, false, func(ctx context.Context, a integration.Access) (err error) {
		list, err = fetch(ctx, a)
		return err
	})
	if err != nil {
		return nil, err
	}
	entry.list, entry.until = list, s.Clock.Now().Add(listTTL)
	return slices.Clone(list), nil
}

type listKey struct {
	integration, grant uuid.UUID
	tenant             string
	name               string
}

// lists caches lists; the zero value is an empty cache.
type lists struct {
	mu      sync.Mutex
	entries map[listKey]*listEntry
}

// listEntry is one cached list. turn contains a token unless a read is in progress.
type listEntry struct {
	turn  chan struct{}
	asked time.Time
	until time.Time
	list  any
}

func (e *listEntry) lock(ctx context.Context) error {
	select {
	case <-e.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e *listEntry) unlock() { e.turn <- struct{}{} }

func (l *lists) entry(k listKey, now time.Time) *listEntry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.entries[k]; ok {
		e.asked = now
		return e
	}
	if l.entries == nil {
		l.entries = map[listKey]*listEntry{}
	}
	l.tidy(now)
	e := &listEntry{turn: make(chan struct{}, 1), asked: now}
	e.turn <- struct{}{}
	l.entries[k] = e
	return e
}

// tidy drops unused lists and makes room for one more.
func (l *lists) tidy(now time.Time) {
	var oldest listKey
	var at time.Time
	for k, e := range l.entries {
		if e.asked.Before(now.Add(-listMemory)) {
			delete(l.entries, k)
		} else if at.IsZero() || e.asked.Before(at) {
			oldest, at = k, e.asked
		}
	}
	if len(l.entries) >= maxLists {
		delete(l.entries, oldest)
	}
}

// forget drops the lists of an integration.
func (l *lists) forget(id uuid.UUID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range l.entries {
		if k.integration == id {
			delete(l.entries, k)
		}
	}
}

// cut returns a page of a complete list. The cursor names the last entry of the previous page, so
// that added and removed entries do not shift the pages. It is valid only with the same query.
func cut[T any](list []T, p Part, name string, key func(T) string) (page.Of[T], error) {
	from := 0
	if p.Query != "" {
		name += " of " + p.Query
	}
	if p.Cursor != "" {
		last, err := readCursor(p.Cursor, name)
		if err != nil {
			return page.Of[T]{}, err
		}
		at := slices.IndexFunc(list, func(x T) bool { return key(x) == last })
		if at < 0 {
			return page.Of[T]{}, fault.InvalidField("cursor", "refers to an entry that no longer exists; read the list from the beginning")
		}
		from = at + 1
	}
	rest := list[from:]
	if p.Limit <= 0 || len(rest) <= p.Limit {
		return page.Of[T]{Items: rest}, nil
	}
	part := rest[:p.Limit]
	return page.Of[T]{Items: part, Next: writeCursor(name, key(part[len(part)-1]))}, nil
}

func writeCursor(name, last string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(name + "\x00" + last))
}

func readCursor(cursor, name string) (last string, err error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	last, ok := strings.CutPrefix(string(text), name+"\x00")
	if err != nil || !ok {
		return "", fault.InvalidField("cursor", "does not belong to this list; omit it to read the list from the beginning")
	}
	return last, nil
}
