package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/secret"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

type integrationRow struct {
	ID             uuid.UUID `gorm:"primaryKey"`
	EntityID       uuid.UUID
	OrganizationID uuid.UUID
	Provider       integration.Provider
	Status         integration.Status
	Reason         integration.Reason
	GrantID        *uuid.UUID
	Metadata       *jsonOf[metadataJSON]
	Tenant         string
	CreatedBy      *uuid.UUID
	LastActivityAt *time.Time
	Version        int
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
	UpdatedAt      time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's tabler.
func (integrationRow) TableName() string { return "integrations" }

// metadataJSON is the setup; exactly one part is present.
type metadataJSON struct {
	Accounting *accountingJSON `json:"accounting,omitempty"`
	Trigger    *triggerJSON    `json:"trigger,omitempty"`
}

type accountingJSON struct {
	Tenant     string `json:"tenant"`
	TenantName string `json:"tenant_name"`
	PaysTax    bool   `json:"pays_tax"`
}

type triggerJSON struct {
	Source      string   `json:"source"`
	SubSource   string   `json:"sub_source"`
	Directories []string `json:"directories"`
}

func (r integrationRow) fromRow() integration.Integration {
	i := integration.Integration{
		ID: r.ID, EntityID: r.EntityID, OrganizationID: r.OrganizationID, Provider: r.Provider, Status: r.Status, Reason: r.Reason,
		GrantID: fromOptionalID(r.GrantID), CreatedBy: fromOptionalID(r.CreatedBy), LastActivityAt: fromOptionalTime(r.LastActivityAt),
		Version: r.Version, CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}
	if r.Metadata == nil {
		return i
	}
	if a := r.Metadata.V.Accounting; a != nil {
		i.Accounting = &integration.AccountingMetadata{Tenant: a.Tenant, TenantName: a.TenantName, PaysTax: a.PaysTax}
	}
	if t := r.Metadata.V.Trigger; t != nil {
		i.Trigger = &integration.TriggerMetadata{Source: t.Source, SubSource: t.SubSource, Directories: t.Directories}
	}
	return i
}

func toIntegrationRow(i *integration.Integration) integrationRow {
	r := integrationRow{
		ID: i.ID, EntityID: i.EntityID, OrganizationID: i.OrganizationID, Provider: i.Provider, Status: i.Status, Reason: i.Reason,
		GrantID: optionalID(i.GrantID), Tenant: clean(i.Tenant()), CreatedBy: optionalID(i.CreatedBy),
		LastActivityAt: optionalTime(i.LastActivityAt), Version: i.Version, CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt,
	}
	var m metadataJSON
	if a := i.Accounting; a != nil {
		m.Accounting = &accountingJSON{Tenant: a.Tenant, TenantName: a.TenantName, PaysTax: a.PaysTax}
	}
	if t := i.Trigger; t != nil {
		m.Trigger = &triggerJSON{Source: t.Source, SubSource: t.SubSource, Directories: t.Directories}
	}
	if i.IsSetUp() {
		r.Metadata = &jsonOf[metadataJSON]{m}
	}
	return r
}

// Integrations implements integration.Repository.
type Integrations struct{ s *Store }

// Add implements integration.Repository.
func (r Integrations) Add(ctx context.Context, i *integration.Integration) error {
	r.s.stamp(&i.CreatedAt)
	r.s.stamp(&i.UpdatedAt)
	i.Version = max(i.Version, 1)
	row := toIntegrationRow(i)
	return failed("add the integration", r.s.handle(ctx).Create(&row).Error)
}

// Get implements integration.Reader.
func (r Integrations) Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*integration.Integration, error) {
	return r.get(r.s.handle(ctx), s, id)
}

func (r Integrations) get(q *gorm.DB, s identity.Scope, id uuid.UUID) (*integration.Integration, error) {
	var row integrationRow
	if err := r.s.within(q, "integrations", s).Take(&row, "integrations.id = ?", id).Error; err != nil {
		return nil, found("integration", err)
	}
	i := row.fromRow()
	return &i, nil
}

// List implements integration.Reader.
func (r Integrations) List(ctx context.Context, s identity.Scope, f integration.Filter) ([]integration.Integration, error) {
	q := r.s.within(r.s.handle(ctx), "integrations", s)
	if f.EntityID != uuid.Nil {
		q = q.Where("entity_id = ?", f.EntityID)
	}
	if f.Provider != "" {
		q = q.Where("provider = ?", f.Provider)
	}
	if f.GrantID != uuid.Nil {
		q = q.Where("grant_id = ?", f.GrantID)
	}
	if f.Tenant != "" {
		q = q.Where("tenant = ?", clean(f.Tenant))
	}
	if len(f.Statuses) > 0 {
		q = q.Where("status IN ?", f.Statuses)
	}
	var rows []integrationRow
	err := q.Order("integrations.id").Find(&rows).Error
	return mapped(rows, integrationRow.fromRow), failed("list integrations", err)
}

// Update implements integration.Repository.
func (r Integrations) Update(
	ctx context.Context, s identity.Scope, id uuid.UUID, ifVersion int, change func(*integration.Integration) error,
) (i *integration.Integration, err error) {
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		if i, err = r.get(r.s.handle(ctx).Clauses(lock), s, id); err != nil {
			return err
		}
		before := *i
		if err := current(ifVersion, i.Version); err != nil {
			return err
		}
		if err := change(i); err != nil {
			return err
		}
		i.ID, i.OrganizationID, i.EntityID, i.Provider = before.ID, before.OrganizationID, before.EntityID, before.Provider
		i.CreatedAt, i.Version = before.CreatedAt, before.Version+1
		r.s.touch(&i.UpdatedAt, before.UpdatedAt)
		row := toIntegrationRow(i)
		return failed("change the integration", save(r.s.handle(ctx), &row, "organization_id", "entity_id", "provider", "created_at"))
	})
	if err != nil {
		return nil, err
	}
	return i, nil
}

// UnverifiedForSweep implements integration.CrossOrganizationReader.
func (r Integrations) UnverifiedForSweep(ctx context.Context, before time.Time, limit int) ([]integration.Integration, error) {
	var rows []integrationRow
	err := r.s.handle(ctx).Where("status = 'PENDING' AND reason = ? AND updated_at < ?", integration.VerificationPending, instant(before)).
		Order("updated_at").Limit(limit).Find(&rows).Error
	return mapped(rows, integrationRow.fromRow), failed("look for unverified integrations", err)
}

// importBookmark begins the name of the bookmark of an integration's last import.
const importBookmark = "ledger_import:"

// LedgersForImport implements integration.CrossOrganizationReader.
func (r Integrations) LedgersForImport(ctx context.Context, before time.Time, limit int) ([]integration.Integration, error) {
	var rows []integrationRow
	err := r.s.handle(ctx).Joins("JOIN settings AS v ON v.accounting_integration_id = integrations.id").
		Joins("LEFT JOIN bookmarks AS b ON b.name = '"+importBookmark+"' || "+r.s.idText("integrations.id")).
		Where("integrations.status = ? AND (b.at IS NULL OR b.at < ?)", integration.Active, instant(before)).
		Order("integrations.id").Limit(limit).Find(&rows).Error
	return mapped(rows, integrationRow.fromRow), failed("look for ledgers to import", err)
}

// MarkImported implements integration.CrossOrganizationReader.
func (r Integrations) MarkImported(ctx context.Context, id uuid.UUID, at time.Time) error {
	return r.s.Bookmark(importBookmark+id.String()).Store(ctx, at)
}

// TenantInUseForDisconnect implements integration.CrossOrganizationReader.
func (r Integrations) TenantInUseForDisconnect(ctx context.Context, i *integration.Integration) (bool, error) {
	var n int64
	err := r.s.handle(ctx).Model(&integrationRow{}).
		Where("provider = ? AND tenant = ? AND id <> ? AND status <> ?", i.Provider, clean(i.Tenant()), i.ID, integration.Disconnected).
		Count(&n).Error
	return n > 0, failed("look for integrations of the tenant", err)
}

// Touch implements integration.Repository.
func (r Integrations) Touch(ctx context.Context, organization, id uuid.UUID, at time.Time) error {
	err := r.s.handle(ctx).Model(&integrationRow{}).Where("organization_id = ? AND id = ?", organization, id).
		UpdateColumn("last_activity_at", instant(at)).Error
	return failed("note the activity", err)
}

type consentAttemptRow struct {
	StateHash      string `gorm:"primaryKey"`
	OrganizationID uuid.UUID
	IntegrationID  uuid.UUID
	UserID         uuid.UUID
	ActorType      identity.ActorType
	LinkID         *uuid.UUID
	Sealed         []byte
	RedirectURL    string
	ExpiresAt      time.Time

	BrowserHash      string
	ConfirmationHash string
}

// TableName implements gorm's tabler.
func (consentAttemptRow) TableName() string { return "consent_attempts" }

// ConsentAttempts implements integration.OAuthStates. A state is stored as a hash, so that a
// reader of the table cannot complete the consent of another user.
type ConsentAttempts struct{ s *Store }

func attemptPlace(hash string) secret.Binding {
	return secret.Binding{Table: "consent_attempts", Row: hash}
}

// Add implements integration.OAuthStates.
func (r ConsentAttempts) Add(ctx context.Context, a integration.OAuthState) error {
	hash := hashed(a.State)
	sealed, err := r.s.sealer.Encrypt(attemptPlace(hash), []byte(a.Verifier))
	if err != nil {
		return fmt.Errorf("seal the verifier: %w", err)
	}
	row := consentAttemptRow{
		StateHash: hash, OrganizationID: a.OrganizationID, IntegrationID: a.IntegrationID, UserID: a.UserID,
		ActorType: a.ActorType, LinkID: optionalID(a.LinkID), Sealed: sealed, RedirectURL: clean(a.RedirectURL), ExpiresAt: instant(a.ExpiresAt),
		BrowserHash: a.BrowserHash, ConfirmationHash: a.ConfirmationHash,
	}
	return failed("store the consent that was asked for", r.s.handle(ctx).Create(&row).Error)
}

// Take implements integration.OAuthStates.
func (r ConsentAttempts) Take(ctx context.Context, state string) (*integration.OAuthState, error) {
	return r.read(ctx, state, `DELETE FROM consent_attempts WHERE state_hash = ? RETURNING `+consentColumns)
}

// Find implements integration.OAuthStates.
func (r ConsentAttempts) Find(ctx context.Context, state string) (*integration.OAuthState, error) {
	return r.read(ctx, state, `SELECT `+consentColumns+` FROM consent_attempts WHERE state_hash = ?`)
}

// Ask implements integration.OAuthStates.
func (r ConsentAttempts) Ask(ctx context.Context, state, confirmationHash string) error {
	done := r.s.handle(ctx).Model(&consentAttemptRow{}).Where("state_hash = ?", hashed(state)).Update("confirmation_hash", confirmationHash)
	if done.Error == nil && done.RowsAffected == 0 {
		done.Error = gorm.ErrRecordNotFound
	}
	if done.Error != nil {
		return found("consent that was asked for", done.Error)
	}
	return nil
}

// consentColumns are named, because a cached plan of * fails when a release adds a column.
const consentColumns = "state_hash, organization_id, integration_id, user_id, sealed, redirect_url, expires_at, browser_hash, confirmation_hash, actor_type, link_id"

func (r ConsentAttempts) read(ctx context.Context, state, sql string) (*integration.OAuthState, error) {
	hash := hashed(state)
	var rows []consentAttemptRow
	err := r.s.handle(ctx).Raw(sql, hash).Scan(&rows).Error
	if err == nil && len(rows) == 0 {
		err = gorm.ErrRecordNotFound
	}
	if err != nil {
		return nil, found("consent that was asked for", err)
	}
	row := rows[0]
	verifier, err := r.s.sealer.Decrypt(attemptPlace(hash), row.Sealed)
	if err != nil {
		return nil, fmt.Errorf("open the verifier: %w", err)
	}
	return &integration.OAuthState{
		State: state, OrganizationID: row.OrganizationID, IntegrationID: row.IntegrationID, UserID: row.UserID,
		ActorType: row.ActorType, LinkID: fromOptionalID(row.LinkID), Verifier: string(verifier), RedirectURL: row.RedirectURL, ExpiresAt: instant(row.ExpiresAt),
		BrowserHash: row.BrowserHash, ConfirmationHash: row.ConfirmationHash,
	}, nil
}

// RemoveExpired implements integration.OAuthStates.
func (r ConsentAttempts) RemoveExpired(ctx context.Context, now time.Time) error {
	return failed("forget old consents", r.s.handle(ctx).Delete(&consentAttemptRow{}, "expires_at <= ?", instant(now)).Error)
}

type meterRow struct {
	Name      string `gorm:"primaryKey"`
	Body      string
	UpdatedAt time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's tabler.
func (meterRow) TableName() string { return "provider_meters" }

// Meters implements integration.Meters. A rate tracker is stored under the names of its fields.
type Meters struct{ s *Store }

// Change implements integration.Meters.
func (r Meters) Change(ctx context.Context, key string, change func(*integration.RateTracker)) error {
	return r.s.inOne(ctx, func(ctx context.Context) error {
		now := instant(r.s.now())
		err := r.s.handle(ctx).Exec(`INSERT INTO provider_meters (name, body, updated_at) VALUES (?, '{}', ?) ON CONFLICT (name) DO NOTHING`,
			key, now).Error
		if err != nil {
			return failed("open the meter", err)
		}
		m, err := r.look(r.s.handle(ctx).Clauses(lock), key)
		if err != nil {
			return err
		}
		change(m)
		body, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("write the meter: %w", err)
		}
		row := meterRow{Name: key, Body: string(body), UpdatedAt: now}
		return failed("store the meter", save(r.s.handle(ctx), &row))
	})
}

// Look implements integration.Meters.
func (r Meters) Look(ctx context.Context, key string) (*integration.RateTracker, error) {
	return r.look(r.s.handle(ctx), key)
}

func (r Meters) look(q *gorm.DB, key string) (*integration.RateTracker, error) {
	var row meterRow
	m := &integration.RateTracker{}
	err := q.Take(&row, "name = ?", key).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return m, nil
	}
	if err != nil {
		return nil, failed("read the meter", err)
	}
	if err := json.Unmarshal([]byte(row.Body), m); err != nil {
		return nil, fmt.Errorf("read the meter: %w", err)
	}
	return m, nil
}

// Expire implements integration.Meters.
func (r Meters) Expire(ctx context.Context, before time.Time) error {
	return failed("forget old meters", r.s.handle(ctx).Delete(&meterRow{}, "updated_at <= ?", instant(before)).Error)
}
