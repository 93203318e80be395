// Package store stores everything except the bytes of documents in PostgreSQL or SQLite, with one
// set of gorm repositories.
//
// Every query is limited to an organization, or its name states why it is not. Rows are separate
// structs: fromRow and toRow convert them, so that no detail of the database is visible outside.
package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/idempotency"
	"docledger/domain/identity"
	"docledger/domain/inbox"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/job"
	"docledger/domain/ledgersync"
	"docledger/domain/organization"
	"docledger/domain/secret"
	"docledger/domain/supplier"
	"docledger/usecase"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// Options configures a store; the zero value is the default.
type Options struct {
	// Now returns the time of changes that have no time.
	Now func() time.Time
	// Sealer encrypts tokens; a store without one cannot have grants.
	Sealer secret.Encrypter
	// LiveJobs finds records without a job; nil treats every record as one without a job.
	LiveJobs usecase.LiveJobs
	// SettleTimeout limits how long a reader of events waits for older transactions; 0 means half
	// a second. Those of other databases of the server count, too.
	SettleTimeout time.Duration
}

// Store is a database and its unit of work. Its methods that return a
// repository are cheap.
type Store struct {
	db       *gorm.DB
	postgres bool
	now      func() time.Time
	sealer   secret.Encrypter
	liveJobs usecase.LiveJobs
	position int64 // of new events on SQLite
	turns    usecase.Turns[uuid.UUID]

	settleTimeout time.Duration
}

// New returns the store of a database whose schema is up to date.
func New(ctx context.Context, db *gorm.DB, opts Options) (*Store, error) {
	s := &Store{db: db, postgres: db.Name() == "postgres", now: opts.Now, sealer: opts.Sealer, liveJobs: opts.LiveJobs, settleTimeout: cmp.Or(opts.SettleTimeout, defaultSettleTimeout)}
	if s.sealer == nil {
		s.sealer = noSealer{}
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.liveJobs == nil {
		s.liveJobs = noJobs{}
	}
	if err := s.alignEvents(ctx); err != nil {
		return nil, fmt.Errorf("align the event log: %w", err)
	}
	return s, nil
}

// Organizations returns the organizations.
func (s *Store) Organizations() Organizations { return Organizations{s} }

// Users returns the local accounts.
func (s *Store) Users() Users { return Users{s} }

// Memberships returns the memberships of users in organizations.
func (s *Store) Memberships() Memberships { return Memberships{s} }

// Sessions returns the sign-ins.
func (s *Store) Sessions() Sessions { return Sessions{s} }

// Attempts returns the counted sign-in attempts.
func (s *Store) Attempts() Attempts { return Attempts{s} }

// Duplicates returns what the search for duplicates compares and finds.
func (s *Store) Duplicates() Duplicates { return Duplicates{s} }

// Entities returns the entities.
func (s *Store) Entities() Entities { return Entities{s} }

// Settings returns the entities' settings.
func (s *Store) Settings() Settings { return Settings{s} }

// Documents returns the documents.
func (s *Store) Documents() Documents { return Documents{s} }

// Invoices returns the invoices.
func (s *Store) Invoices() Invoices { return Invoices{s} }

// Bookings returns the syncs of invoices.
func (s *Store) Bookings() Bookings { return Bookings{s} }

// Codings returns the codings of suppliers.
func (s *Store) Codings() Codings { return Codings{s} }

// Events returns the event log.
func (s *Store) Events() Events { return Events{s} }

// Usage returns the usage counters.
func (s *Store) Usage() Usage { return Usage{s} }

// Idempotency returns the stored responses.
func (s *Store) Idempotency() Idempotency { return Idempotency{s} }

// KnownPlans returns the last known plans.
func (s *Store) KnownPlans() KnownPlans { return KnownPlans{s} }

// PlanEvents returns the latest events that changed a plan.
func (s *Store) PlanEvents() PlanEvents { return PlanEvents{s} }

// Charges returns the records of immediate charges.
func (s *Store) Charges() Charges { return Charges{s} }

// Inbox returns the inbox messages.
func (s *Store) Inbox() Inbox { return Inbox{s} }

// Grants returns the grants.
func (s *Store) Grants() Grants { return Grants{s} }

// Integrations returns the integrations.
func (s *Store) Integrations() Integrations { return Integrations{s} }

// ConsentAttempts returns the requested consents.
func (s *Store) ConsentAttempts() ConsentAttempts { return ConsentAttempts{s} }

// Watches returns the watches.
func (s *Store) Watches() Watches { return Watches{s} }

// WatchNodes returns the known items of watched locations.
func (s *Store) WatchNodes() WatchNodes { return WatchNodes{s} }

// WatchVersions returns the document of each ingested version.
func (s *Store) WatchVersions() WatchVersions { return WatchVersions{s} }

// WatchSubscriptions returns the subscriptions to change notifications.
func (s *Store) WatchSubscriptions() WatchSubscriptions { return WatchSubscriptions{s} }

// Meters returns the rate trackers.
func (s *Store) Meters() Meters { return Meters{s} }

// Leases returns the leases.
func (s *Store) Leases() Leases { return Leases{s} }

// Holds returns the pause after a restore.
func (s *Store) Holds() Holds { return Holds{s} }

var (
	_ usecase.Database                    = (*Store)(nil)
	_ organization.Repository             = Organizations{}
	_ identity.Users                      = Users{}
	_ identity.Memberships                = Memberships{}
	_ identity.Sessions                   = Sessions{}
	_ identity.Attempts                   = Attempts{}
	_ entity.Repository                   = Entities{}
	_ entity.Intakes                      = Entities{}
	_ entity.SettingsRepository           = Settings{}
	_ document.Repository                 = Documents{}
	_ ledgersync.Repository               = Bookings{}
	_ ledgersync.Codings                  = Codings{}
	_ document.Orphans                    = Documents{}
	_ document.Deletions                  = Deletions{}
	_ document.Removals                   = Removals{}
	_ invoice.Repository                  = Invoices{}
	_ invoice.Sums                        = Invoices{}
	_ supplier.Repository                 = Suppliers{}
	_ supplier.Invoices                   = Suppliers{}
	_ supplier.Contacts                   = Suppliers{}
	_ event.Log                           = Events{}
	_ billing.Usage                       = Usage{}
	_ idempotency.Store                   = Idempotency{}
	_ billing.LastKnownPlans              = KnownPlans{}
	_ billing.PlanEvents                  = PlanEvents{}
	_ billing.ChargeRecords               = Charges{}
	_ inbox.Repository                    = Inbox{}
	_ integration.Grants                  = Grants{}
	_ integration.GrantMaintenance        = Grants{}
	_ integration.Repository              = Integrations{}
	_ integration.CrossOrganizationReader = Integrations{}
	_ integration.OAuthStates             = ConsentAttempts{}
	_ integration.Meters                  = Meters{}
	_ usecase.Leases                      = Leases{}
	_ job.Pause                           = Holds{}
)

// lastInstant is the last time of four digits of the year.
var lastInstant = time.Date(lastYear, time.December, 31, 23, 59, 59, 999_999_000, time.UTC)

// instant is the form in which times are stored: UTC in whole microseconds, which both databases
// support and SQLite compares as text. As text, a year of five digits comes before the others. A filter has one
// if its time is at the end of the calendar in a zone west of UTC.
func instant(t time.Time) time.Time {
	if t.After(lastInstant) {
		return lastInstant
	}
	return t.UTC().Truncate(time.Microsecond)
}

// stamp replaces a zero t by the current time.
func (s *Store) stamp(t *time.Time) {
	if t.IsZero() {
		*t = s.now()
	}
	*t = instant(*t)
}
