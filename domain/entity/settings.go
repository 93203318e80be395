package entity

import (
	"context"
	"time"

	"docledger/domain/einvoice"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// DateOrder is how the entity's documents write numeric dates.
type DateOrder string

// The date orders.
const (
	DateOrderAuto DateOrder = "AUTO"
	DateOrderDMY  DateOrder = "DMY"
	DateOrderMDY  DateOrder = "MDY"
	DateOrderYMD  DateOrder = "YMD"
)

// DuplicatePolicy is the treatment of an extracted invoice that is a duplicate (domain D7).
type DuplicatePolicy string

// The duplicate policies.
const (
	DuplicateFlag   DuplicatePolicy = "FLAG"   // the check not_a_duplicate fails
	DuplicateReject DuplicatePolicy = "REJECT" // in addition, the invoice is REJECTED
)

// BillStatus is the status in which bills are created in the ledger.
type BillStatus string

// The bill statuses.
const (
	BillDraft      BillStatus = "DRAFT"
	BillSubmitted  BillStatus = "SUBMITTED"
	BillAuthorised BillStatus = "AUTHORISED"
)

// EInvoiceRules is the effect of an electronic invoice that violates fatal rules of the profiles
// that it claims.
type EInvoiceRules string

// The values of EInvoiceRules.
const (
	EInvoiceOff   EInvoiceRules = "OFF"   // there is no check
	EInvoiceWarn  EInvoiceRules = "WARN"  // the check einvoice_rules is a WARNING
	EInvoiceBlock EInvoiceRules = "BLOCK" // the check einvoice_rules is BLOCKING
)

// ProfileRules is the effect of the rules of one profile, in place of the entity's EInvoiceRules.
type ProfileRules struct {
	Profile einvoice.Profile
	Effect  EInvoiceRules
}

// TaxMapping chooses the ledger's tax rate for a category and rate of
// EN 16931.
type TaxMapping struct {
	Category  string // BT-151: S, Z, E, AE, K, G, O
	Rate      string // percent, a decimal
	TaxRateID string
}

// Settings are an entity's choices (decisions 2, domain D31).
type Settings struct {
	EntityID                uuid.UUID
	OrganizationID          uuid.UUID
	DefaultCurrency         string // ISO 4217; "" for none
	DateOrder               DateOrder
	Timezone                string // IANA name
	AutoExtract             bool
	AutoSync                bool
	ApprovalRequired        bool
	AutoApproveIgnore       []string // rules whose WARNINGs do not stop SYSTEM from approving
	ReviewThreshold         float64  // 0 to 1
	AccountingIntegrationID uuid.UUID
	DefaultAccountID        string
	DefaultTaxRateID        string
	TaxMappings             []TaxMapping
	DuplicatePolicy         DuplicatePolicy
	FourEyes                bool
	AssistantActions        identity.AssistantActions
	RouteByBuyer            bool // a document of another entity's tax identifier is moved to that entity (domain D12)
	BillStatus              BillStatus
	EInvoiceRules           EInvoiceRules
	EInvoiceByProfile       []ProfileRules // at most one for each profile
	Version                 int
	UpdatedAt               time.Time
}

// DefaultSettings returns the settings of a new entity.
func DefaultSettings(organization, entity uuid.UUID) Settings {
	return Settings{
		EntityID: entity, OrganizationID: organization, DateOrder: DateOrderAuto, Timezone: "UTC",
		AutoExtract: true, ApprovalRequired: true, ReviewThreshold: 0.8, DuplicatePolicy: DuplicateFlag,
		AssistantActions: identity.AssistantPrepare, BillStatus: BillDraft, EInvoiceRules: EInvoiceWarn, Version: 1,
	}
}

// EInvoiceEffect returns the effect of violated rules of a profile.
func (s *Settings) EInvoiceEffect(profile einvoice.Profile) EInvoiceRules {
	for _, p := range s.EInvoiceByProfile {
		if p.Profile == profile {
			return p.Effect
		}
	}
	return s.EInvoiceRules
}

// SettingsRepository stores settings; each entity has exactly one record, which is added with it.
type SettingsRepository interface {
	Add(ctx context.Context, s *Settings) error
	// Get returns the entity's settings. It returns a NotFound fault if the entity is missing or
	// outside the scope.
	Get(ctx context.Context, s identity.Scope, entity uuid.UUID) (*Settings, error)
	// Update changes settings as Repository.Update changes an entity.
	Update(ctx context.Context, s identity.Scope, entity uuid.UUID, ifVersion int, change func(*Settings) error) (*Settings, error)
}
