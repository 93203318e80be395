package convert

import (
	"strings"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/docstore"
	"docledger/domain/integration"
	"docledger/domain/money"
	"docledger/domain/watch"
	"docledger/gen/backend"
	api "docledger/gen/integrations"
	usecase "docledger/usecase/integrations"

	"github.com/oapi-codegen/nullable"
)

// ToAPIIntegration returns an integration.
func ToAPIIntegration(i *integration.Integration) api.Integration {
	return api.Integration{
		Id: i.ID, EntityId: i.EntityID, Provider: string(i.Provider), Type: string(i.Type()), Status: string(i.Status),
		StatusReason: toAPIReason(i.Reason), PublicMetadata: toAPIMetadata(i), LastActivityAt: orNull(i.LastActivityAt),
		Version: i.Version, CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt,
	}
}

func toAPIReason(r integration.Reason) nullable.Nullable[api.StatusReason] {
	if r == "" {
		return null[api.StatusReason]()
	}
	return value(api.StatusReason{Code: string(r), Message: r.Text()})
}

// withHint adds a frequent cause to the message of a reason.
func withHint(r nullable.Nullable[api.StatusReason], hint string) nullable.Nullable[api.StatusReason] {
	if reason, err := r.Get(); err == nil && hint != "" {
		reason.Message += " " + hint
		return value(reason)
	}
	return r
}

func toAPIMetadata(i *integration.Integration) nullable.Nullable[api.IntegrationMetadata] {
	if !i.IsSetUp() {
		return null[api.IntegrationMetadata]()
	}
	m := api.IntegrationMetadata{
		Provider: string(i.Provider), OrganizationId: null[string](), OrganizationName: null[string](), PaysTax: null[bool](),
		SourceId: null[string](), SubSourceId: null[string](), Directories: null[[]string](),
	}
	if a := i.Accounting; a != nil {
		m.OrganizationId, m.OrganizationName, m.PaysTax = value(a.Tenant), orNull(a.TenantName), value(a.PaysTax)
	}
	if t := i.Trigger; t != nil {
		m.SourceId, m.SubSourceId, m.Directories = value(t.Source), value(t.SubSource), value(some(t.Directories))
	}
	return value(m)
}

// ToAPIStatusReport returns the status of an integration.
func ToAPIStatusReport(s usecase.Status, now time.Time) backend.IntegrationStatusReport {
	r := backend.IntegrationStatusReport{
		IntegrationId: s.ID, EntityId: s.EntityID, Provider: string(s.Provider), Type: string(s.Type()), Status: string(s.Integration.Status),
		StatusReason: withHint(toAPIReason(s.Reason), s.Hint), Scopes: some(s.Scopes), LastActivityAt: orNull(s.LastActivityAt), RetryAt: orNull(s.RetryAt),
		LastPollAt: null[time.Time](), NextPollAt: null[time.Time](), Lag: null[int64](), FilesSeen: null[int64](), FilesIngested: null[int64](),
		FilesWaiting: null[int](), FilesSkipped: null[int](), PausedReason: null[string](), Directories: null[[]backend.WatchedDirectory](),
		Unavailable: list(s.Unavailable, func(g integration.Gap) backend.UnavailableCapability {
			return backend.UnavailableCapability{Capability: string(g.Capability), Reason: g.Reason, Remedy: g.Remedy}
		}),
	}
	if w := s.Watch; w != nil {
		r.LastPollAt, r.NextPollAt = orNull(w.LastPollAt), orNull(w.NextPollAt)
		if !w.UpToDateAt.IsZero() {
			r.Lag = value(int64(w.Lag(now) / time.Second))
		}
		r.FilesSeen, r.FilesIngested, r.FilesWaiting = value(w.FilesSeen), value(w.FilesTakenIn), value(w.Waiting)
		r.FilesSkipped = value(w.Skipped)
		r.PausedReason, r.Directories = orNull(string(w.Pause)), value(list(w.Directories, toAPIWatched))
	}
	return r
}

func toAPIWatched(d watch.DirectoryReport) backend.WatchedDirectory {
	return backend.WatchedDirectory{Path: d.Path, Folders: list(d.Folders, func(f watch.FolderReport) backend.WatchedFolder {
		w := backend.WatchedFolder{Id: f.ID, CurrentPath: null[string]()}
		if f.There {
			w.CurrentPath = value(f.Path)
		}
		return w
	})}
}

// ToAPISources returns locations of a document store.
func ToAPISources(items []docstore.Source) []api.TriggerSource {
	return list(items, func(s docstore.Source) api.TriggerSource {
		return api.TriggerSource{Id: s.ID, Name: s.Name, Path: orNull(s.Path), WebUrl: orNull(s.WebURL)}
	})
}

// ToAPIFolders returns folders of a document store.
func ToAPIFolders(items []docstore.Folder) []api.TriggerFolder {
	return list(items, func(f docstore.Folder) api.TriggerFolder {
		return api.TriggerFolder{Name: f.Name, Path: f.Path}
	})
}

// ToAPISkippedFiles returns the files that are not ingested.
func ToAPISkippedFiles(files []watch.SkippedFile) []api.SkippedFile {
	return list(files, func(f watch.SkippedFile) api.SkippedFile {
		return api.SkippedFile{Path: f.Path, Reason: string(f.Reason), At: f.At}
	})
}

// ToAPIProviders returns the providers.
func ToAPIProviders(offers []usecase.Offer) []backend.Provider {
	return list(offers, func(o usecase.Offer) backend.Provider {
		return backend.Provider{
			Provider: string(o.Provider), Type: string(o.Provider.Type()), Available: o.Available,
			Integrations: list(o.Integrations, func(i integration.Integration) api.Integration { return ToAPIIntegration(&i) }),
		}
	})
}

// ToAPIOrganizations returns the organizations of a consent.
func ToAPIOrganizations(items []accounting.Organization) []api.AccountingOrganization {
	return list(items, func(o accounting.Organization) api.AccountingOrganization {
		return api.AccountingOrganization{
			OrganizationId: o.ID, Name: o.Name, Country: orNull(o.Country), BaseCurrency: orNull(o.BaseCurrency),
			ConnectedNow: o.ConnectedNow, UsedByEntityId: orNull(o.UsedBy),
		}
	})
}

// ToAPIAccounts returns accounts of a ledger.
func ToAPIAccounts(items []accounting.Account) []api.AccountingAccount {
	return list(items, func(a accounting.Account) api.AccountingAccount {
		return api.AccountingAccount{
			Id: a.ID, Code: orNull(a.Code), Name: a.Name, Type: a.Type, Class: a.Class, AccountClass: orNull(string(a.Unified)), Currency: orNull(a.Currency),
			TaxType: orNull(a.TaxType), Status: string(a.State),
		}
	})
}

// ToAPIContacts returns contacts of a ledger.
func ToAPIContacts(items []accounting.Contact) []api.AccountingContact {
	return list(items, func(c accounting.Contact) api.AccountingContact {
		return api.AccountingContact{
			Id: c.ID, Name: c.Name, Email: orNull(c.Email), TaxId: orNull(c.TaxID), IsSupplier: c.IsSupplier, Status: string(c.State),
		}
	})
}

// ToAPITaxRates returns tax rates of a ledger.
func ToAPITaxRates(items []accounting.TaxRate) []api.AccountingTaxRate {
	return list(items, func(r accounting.TaxRate) api.AccountingTaxRate {
		return api.AccountingTaxRate{Id: r.ID, Name: r.Name, Rate: plain(r.Rate), Type: orNull(r.Type), Status: string(r.State)}
	})
}

// ToAPICurrencies returns currencies of a ledger.
func ToAPICurrencies(items []accounting.Currency) []api.AccountingCurrency {
	return list(items, func(c accounting.Currency) api.AccountingCurrency {
		return api.AccountingCurrency{Code: c.Code, Name: c.Name}
	})
}

// plain formats a rate without trailing zeros.
func plain(d money.Decimal) string {
	text := d.String()
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
