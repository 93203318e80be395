package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"docledger/domain/entity"
	"docledger/domain/ledgersync"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type codingRow struct {
	EntityID       uuid.UUID `gorm:"primaryKey"`
	IntegrationID  uuid.UUID `gorm:"primaryKey"`
	SupplierHash   string    `gorm:"primaryKey"`
	OrganizationID uuid.UUID
	ContactID      string
	AccountID      string
	TaxRates       jsonOf[[]taxMappingJSON]
	UpdatedAt      time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's tabler.
func (codingRow) TableName() string { return "supplier_codings" }

// Codings implements ledgersync.Codings.
type Codings struct{ s *Store }

func hashOf(supplier string) string {
	sum := sha256.Sum256([]byte(supplier))
	return hex.EncodeToString(sum[:])
}

// Of implements ledgersync.Codings.
func (r Codings) Of(ctx context.Context, organization, of, integration uuid.UUID, supplier string) (ledgersync.Coding, error) {
	if integration == uuid.Nil || supplier == "" {
		return ledgersync.Coding{}, nil
	}
	var row codingRow
	err := r.s.handle(ctx).Take(&row, "organization_id = ? AND entity_id = ? AND integration_id = ? AND supplier_hash = ?",
		organization, of, integration, hashOf(supplier)).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return ledgersync.Coding{}, nil
	}
	if err != nil {
		return ledgersync.Coding{}, failed("read the supplier's coding", err)
	}
	return ledgersync.Coding{
		ContactID: row.ContactID, AccountID: row.AccountID,
		TaxRates: mapped(row.TaxRates.V, func(m taxMappingJSON) entity.TaxMapping { return entity.TaxMapping(m) }),
	}, nil
}

// Keep implements ledgersync.Codings.
func (r Codings) Keep(ctx context.Context, organization, of, integration uuid.UUID, supplier string, c ledgersync.Coding) error {
	if integration == uuid.Nil || supplier == "" {
		return nil
	}
	row := codingRow{
		EntityID: of, IntegrationID: integration, SupplierHash: hashOf(supplier), OrganizationID: organization,
		ContactID: clean(c.ContactID), AccountID: clean(c.AccountID), UpdatedAt: instant(r.s.now()),
		TaxRates: jsonOf[[]taxMappingJSON]{mapped(c.TaxRates, func(m entity.TaxMapping) taxMappingJSON { return taxMappingJSON(m) })},
	}
	return failed("keep the supplier's coding", r.s.handle(ctx).Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error)
}
