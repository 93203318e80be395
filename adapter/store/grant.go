package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"docledger/domain/integration"
	"docledger/domain/secret"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type grantRow struct {
	ID              uuid.UUID `gorm:"primaryKey"`
	OrganizationID  uuid.UUID
	Provider        integration.Provider
	Account         string
	Event           string
	Sealed          []byte
	AccessExpiresAt time.Time
	Scopes          jsonOf[[]string]
	Generation      int64
	Ended           bool
	CreatedAt       time.Time `gorm:"autoCreateTime:false"`
	UpdatedAt       time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's tabler.
func (grantRow) TableName() string { return "grants" }

// tokensJSON is the encrypted part of a grant.
type tokensJSON struct {
	Access           string    `json:"access"`
	Refresh          string    `json:"refresh"`
	RefreshExpiresAt time.Time `json:"refresh_expires_at,omitzero"`
}

// noSealer is the Sealer of a store that was opened without one.
type noSealer struct{}

var errNoSealer = errors.New("the store was opened without keys to seal with")

func (noSealer) Encrypt(secret.Binding, []byte) ([]byte, error) { return nil, errNoSealer }
func (noSealer) Decrypt(secret.Binding, []byte) ([]byte, error) { return nil, errNoSealer }
func (noSealer) UsesCurrentKey([]byte) bool                     { return false }

func grantPlace(id uuid.UUID) secret.Binding {
	return secret.Binding{Table: "grants", Row: id.String()}
}

// Grants implements integration.Grants.
type Grants struct{ s *Store }

func (r Grants) fromRow(row grantRow) (*integration.Grant, error) {
	plain, err := r.s.sealer.Decrypt(grantPlace(row.ID), row.Sealed)
	if err != nil {
		return nil, fmt.Errorf("open grant %s: %w", row.ID, err)
	}
	var t tokensJSON
	if err := json.Unmarshal(plain, &t); err != nil {
		return nil, fmt.Errorf("read grant %s: %w", row.ID, err)
	}
	return &integration.Grant{
		ID: row.ID, OrganizationID: row.OrganizationID, Provider: row.Provider, Account: row.Account, Event: row.Event,
		Tokens: integration.Tokens{
			Access: secret.New(t.Access), AccessExpiresAt: instant(row.AccessExpiresAt), Refresh: secret.New(t.Refresh),
			RefreshExpiresAt: t.RefreshExpiresAt, Scopes: row.Scopes.V,
		},
		Generation: row.Generation, Ended: row.Ended, CreatedAt: instant(row.CreatedAt), UpdatedAt: instant(row.UpdatedAt),
	}, nil
}

func (r Grants) toRow(g *integration.Grant) (grantRow, error) {
	t := tokensJSON{Access: g.Tokens.Access.Reveal(), Refresh: g.Tokens.Refresh.Reveal()}
	if !g.Tokens.RefreshExpiresAt.IsZero() {
		t.RefreshExpiresAt = instant(g.Tokens.RefreshExpiresAt)
	}
	plain, err := json.Marshal(t)
	if err != nil {
		return grantRow{}, fmt.Errorf("write the tokens: %w", err)
	}
	sealed, err := r.s.sealer.Encrypt(grantPlace(g.ID), plain)
	if err != nil {
		return grantRow{}, fmt.Errorf("seal the tokens: %w", err)
	}
	return grantRow{
		ID: g.ID, OrganizationID: g.OrganizationID, Provider: g.Provider, Account: clean(g.Account), Event: clean(g.Event),
		Sealed: sealed, AccessExpiresAt: instant(g.Tokens.AccessExpiresAt), Scopes: jsonOf[[]string]{g.Tokens.Scopes},
		Generation: g.Generation, Ended: g.Ended, CreatedAt: g.CreatedAt, UpdatedAt: g.UpdatedAt,
	}, nil
}

// Get implements integration.Grants.
func (r Grants) Get(ctx context.Context, organization, id uuid.UUID) (*integration.Grant, error) {
	return r.get(r.s.handle(ctx).Where("organization_id = ? AND id = ?", organization, id))
}

func (r Grants) get(q *gorm.DB) (*integration.Grant, error) {
	var row grantRow
	if err := q.Take(&row).Error; err != nil {
		return nil, found("grant", err)
	}
	return r.fromRow(row)
}

// Put implements integration.Grants.
func (r Grants) Put(
	ctx context.Context, organization uuid.UUID, p integration.Provider, c integration.Consent,
) (g *integration.Grant, err error) {
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		fresh := &integration.Grant{ID: uuid.Must(uuid.NewV7()), OrganizationID: organization, Provider: p, Account: c.Account}
		fresh.Consented(c)
		r.s.stamp(&fresh.CreatedAt)
		fresh.UpdatedAt = fresh.CreatedAt
		row, err := r.toRow(fresh)
		if err != nil {
			return err
		}
		done := r.s.handle(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row)
		if done.Error != nil {
			return failed("store the grant", done.Error)
		}
		if done.RowsAffected == 1 {
			g = fresh
			return nil
		}
		there := r.s.handle(ctx).Clauses(lock).Where("organization_id = ? AND provider = ? AND account = ?", organization, p, row.Account)
		if g, err = r.get(there); err != nil {
			return err
		}
		g.Consented(c)
		return r.save(ctx, g)
	})
	return g, err
}

func (r Grants) save(ctx context.Context, g *integration.Grant) error {
	r.s.touch(&g.UpdatedAt, g.UpdatedAt)
	row, err := r.toRow(g)
	if err != nil {
		return err
	}
	return failed("store the grant", save(r.s.handle(ctx), &row, "organization_id", "provider", "account", "created_at"))
}

// Update implements integration.Grants.
func (r Grants) Update(
	ctx context.Context, organization, id uuid.UUID, generation int64, change func(*integration.Grant),
) (g *integration.Grant, ok bool, err error) {
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		if g, err = r.get(r.s.handle(ctx).Clauses(lock).Where("organization_id = ? AND id = ?", organization, id)); err != nil {
			return err
		}
		if ok = g.Generation == generation; !ok {
			return nil
		}
		change(g)
		g.ID, g.OrganizationID = id, organization
		return r.save(ctx, g)
	})
	return g, ok && err == nil, err
}

// Remove implements integration.Grants.
func (r Grants) Remove(ctx context.Context, organization, id uuid.UUID) error {
	return failed("erase the grant", r.s.handle(ctx).Delete(&grantRow{}, "organization_id = ? AND id = ?", organization, id).Error)
}

// SharedAccount implements integration.Grants.
func (r Grants) SharedAccount(ctx context.Context, g *integration.Grant) (bool, error) {
	var n int64
	err := r.s.handle(ctx).Model(&grantRow{}).Where("provider = ? AND account = ? AND id <> ?", g.Provider, clean(g.Account), g.ID).Count(&n).Error
	return n > 0, failed("look for grants of the account", err)
}

// eachSealed visits all grants in the order of ids.
func (r Grants) eachSealed(ctx context.Context, visit func(grantRow) error) error {
	last := uuid.Nil
	for {
		var rows []grantRow
		if err := r.s.handle(ctx).Where("id > ?", last).Order("id").Limit(batch).Find(&rows).Error; err != nil {
			return failed("list grants", err)
		}
		for _, row := range rows {
			if err := visit(row); err != nil {
				return err
			}
			last = row.ID
		}
		if len(rows) < batch {
			return nil
		}
	}
}

// ResealForRotation implements integration.GrantMaintenance. If the tokens of a grant change at
// the same time, that change encrypts them with the current key.
func (r Grants) ResealForRotation(ctx context.Context) (n int, err error) {
	err = r.eachSealed(ctx, func(row grantRow) error {
		if r.s.sealer.UsesCurrentKey(row.Sealed) {
			return nil
		}
		g, err := r.fromRow(row)
		if err != nil {
			return err
		}
		fresh, err := r.toRow(g)
		if err != nil {
			return err
		}
		done := r.s.handle(ctx).Model(&grantRow{}).Where("id = ? AND generation = ?", row.ID, row.Generation).
			Update("sealed", fresh.Sealed)
		n += int(done.RowsAffected)
		return failed("store the grant", done.Error)
	})
	return n, err
}

// CheckForOperator implements integration.GrantMaintenance.
func (r Grants) CheckForOperator(ctx context.Context) (grants int, missing map[string]int, err error) {
	missing = map[string]int{}
	var changed error // of all tokens, so that one error does not hide another
	err = r.eachSealed(ctx, func(row grantRow) error {
		grants++
		_, err := r.fromRow(row)
		var unknown *secret.UnknownKeyError
		if errors.As(err, &unknown) {
			missing[unknown.KeyID]++
			return nil
		}
		changed = errors.Join(changed, err)
		return nil
	})
	return grants, missing, errors.Join(err, changed)
}

// EachForOperator implements integration.GrantMaintenance.
func (r Grants) EachForOperator(ctx context.Context, visit func(integration.Grant) error) error {
	return r.eachSealed(ctx, func(row grantRow) error {
		return visit(integration.Grant{
			ID: row.ID, OrganizationID: row.OrganizationID, Provider: row.Provider, Account: row.Account, Event: row.Event,
			Generation: row.Generation, Ended: row.Ended, CreatedAt: instant(row.CreatedAt), UpdatedAt: instant(row.UpdatedAt),
		})
	})
}
