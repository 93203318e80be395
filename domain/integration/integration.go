package integration

import (
	"slices"
	"time"

	"docledger/domain/fault"

	"github.com/google/uuid"
)

// Status is the state of an integration (decisions 2). Later versions may add values.
type Status string

// The statuses.
const (
	Pending      Status = "PENDING"
	Active       Status = "ACTIVE"
	Failed       Status = "ERROR"
	Disconnected Status = "DISCONNECTED" // permanent; it is replaced by a new integration
)

// Statuses lists the statuses in display order.
func Statuses() []Status { return []Status{Pending, Active, Failed, Disconnected} }

// Reason is why an integration is not ACTIVE; "" if there is none.
type Reason string

// The reasons.
const (
	ConsentMissing       Reason = "consent_missing"         // PENDING: no user has consented yet
	ConsentRefused       Reason = "consent_refused"         // PENDING: the person declined
	SetupMissing         Reason = "setup_missing"           // PENDING: consented, not set up
	VerificationPending  Reason = "verification_pending"    // PENDING: set up while the provider was unreachable
	ReconnectNeeded      Reason = "reconnect_needed"        // ERROR: the consent has ended
	TenantChanged        Reason = "tenant_changed"          // ERROR: the new consent does not cover the previous tenant
	TenantDisconnected   Reason = "tenant_disconnected"     // ERROR: the tenant was disconnected at the provider
	AccessLost           Reason = "access_lost"             // ERROR: the watched location is missing or forbidden
	ScopeMissing         Reason = "scope_missing"           // ERROR: a required OAuth scope was not granted
	EndedHere            Reason = "ended"                   // DISCONNECTED, nothing remains at the provider
	LeftAtProvider       Reason = "left_at_provider"        // DISCONNECTED, the application must be removed at the provider
	TenantLeftAtProvider Reason = "tenant_left_at_provider" // DISCONNECTED, the tenant must be disconnected at the provider
)

// Reasons lists every reason. A test compares the specifications with it.
func Reasons() []Reason {
	return []Reason{
		ConsentMissing, ConsentRefused, SetupMissing, VerificationPending, ReconnectNeeded, TenantChanged, TenantDisconnected,
		AccessLost, ScopeMissing, EndedHere, LeftAtProvider, TenantLeftAtProvider,
	}
}

var reasonTexts = map[Reason]string{
	ConsentMissing:       "No user has consented at the provider yet. Open the authorization URL.",
	ConsentRefused:       "The consent was declined at the provider. Connect again to give it.",
	SetupMissing:         "The consent is given. Set the integration up to activate it.",
	VerificationPending:  "The setup is stored, but the provider could not be reached to verify it. docledger retries automatically.",
	ReconnectNeeded:      "The provider no longer accepts the connection. Connect the integration again.",
	TenantChanged:        "The new consent does not include the organization that the integration was set up with. Connect again and choose that organization.",
	TenantDisconnected:   "The organization was disconnected at the provider. Connect the integration again and choose it.",
	AccessLost:           "The watched location is missing or can no longer be read. Restore access to it, or connect again.",
	ScopeMissing:         "A required permission was not granted. Connect again and grant all requested permissions.",
	EndedHere:            "The integration was disconnected.",
	LeftAtProvider:       "The integration was disconnected. The application's access is still listed at the provider, where it can be removed.",
	TenantLeftAtProvider: "The integration was disconnected. The organization's connection is still listed at the provider, where it can be removed.",
}

// Text returns the meaning of a reason and the action to take.
func (r Reason) Text() string { return reasonTexts[r] }

// AccountingMetadata is the setup of an accounting integration (interface 2.2).
type AccountingMetadata struct {
	Tenant     string // organization_id: the provider's tenant
	TenantName string
	PaysTax    bool // false: bills are created tax-inclusive
}

// TriggerMetadata is the setup of a trigger integration (interface 2.2).
type TriggerMetadata struct {
	Source      string
	SubSource   string
	Directories []string // empty: the whole location
}

// Integration is the connection of an entity to a provider.
type Integration struct {
	ID             uuid.UUID
	OrganizationID uuid.UUID
	EntityID       uuid.UUID
	Provider       Provider
	Status         Status
	Reason         Reason
	GrantID        uuid.UUID // Nil before the first consent and after disconnection
	// Only the field of the provider's type is set, and only after setup.
	Accounting     *AccountingMetadata
	Trigger        *TriggerMetadata
	CreatedBy      uuid.UUID
	LastActivityAt time.Time // the last successful call; zero for none
	Version        int
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// New returns an integration that awaits a consent.
func New(id, organization, entity uuid.UUID, p Provider) *Integration {
	return &Integration{
		ID: id, OrganizationID: organization, EntityID: entity, Provider: p,
		Status: Pending, Reason: ConsentMissing, Version: 1,
	}
}

// Type returns the purpose of the integration.
func (i *Integration) Type() Type { return i.Provider.Type() }

// IsSetUp reports whether a tenant or a location was chosen.
func (i *Integration) IsSetUp() bool { return i.Accounting != nil || i.Trigger != nil }

// Tenant returns the provider's tenant, "" if none is chosen.
func (i *Integration) Tenant() string {
	if i.Accounting == nil {
		return ""
	}
	return i.Accounting.Tenant
}

// RequireType returns a fault if the integration has another type.
func (i *Integration) RequireType(t Type) error {
	if i.Type() == t {
		return nil
	}
	return fault.InvalidField("integrationId", "is an integration of type %s; this operation requires type %s", i.Type(), t)
}

// RequireConsent returns a fault that names the missing step if there is no consent.
func (i *Integration) RequireConsent() error {
	switch {
	case i.Status == Disconnected:
		return i.ended()
	case i.GrantID == uuid.Nil:
		return outOfOrder("authorize", "No user has consented at %s yet. First call POST /api/v1/integrations/oauth/authorize and open the authorization URL.", i.Provider)
	}
	return nil
}

// RequireActive returns a fault that names the missing step if the integration does not work.
func (i *Integration) RequireActive() error {
	if err := i.RequireConsent(); err != nil {
		return err
	}
	switch i.Status {
	case Active:
		return nil
	case Failed:
		return outOfOrder("connect", "The integration does not work: %s", i.Reason.Text())
	}
	if i.IsSetUp() {
		return outOfOrder("verify", "%s", VerificationPending.Text())
	}
	return outOfOrder("set_up", "The integration is not set up yet. First call PUT /api/v1/integrations/%s.", i.ID)
}

// RequireConnectable returns a fault if the integration is disconnected and cannot get another
// consent.
func (i *Integration) RequireConnectable() error {
	if i.Status == Disconnected {
		return i.ended()
	}
	return nil
}

func (i *Integration) ended() error {
	return fault.New(fault.Conflict, fault.CodeConflict,
		"The integration was disconnected. Create a new one with POST /api/v1/integrations/oauth/authorize.").
		With("status", string(i.Status))
}

// outOfOrder returns the fault for an operation whose prerequisite step is missing.
func outOfOrder(step, format string, args ...any) error {
	return fault.New(fault.Conflict, fault.CodeConflict, format, args...).With("missing_step", step)
}

// Consented attaches the integration to a grant. reachable are the tenants that the consent covers;
// nil if they are unknown or do not exist. An integration whose tenant is not covered becomes
// ERROR, because it must never continue with another tenant.
func (i *Integration) Consented(grant uuid.UUID, reachable []string) {
	i.GrantID = grant
	switch {
	case !i.IsSetUp():
		i.Status, i.Reason = Pending, SetupMissing
	case i.Tenant() != "" && reachable != nil && !slices.Contains(reachable, i.Tenant()):
		i.Status, i.Reason = Failed, TenantChanged
	case i.Status == Pending:
		i.Reason = VerificationPending
	default:
		i.Status, i.Reason = Active, ""
	}
}

// Verified activates an integration after the provider confirmed the setup.
func (i *Integration) Verified() { i.Status, i.Reason = Active, "" }

// Unverified keeps a setup that the provider has not confirmed yet.
func (i *Integration) Unverified() { i.Status, i.Reason = Pending, VerificationPending }

// Fail marks the integration as not working. A disconnected integration is unchanged.
func (i *Integration) Fail(r Reason) {
	if i.Status != Disconnected {
		i.Status, i.Reason = Failed, r
	}
}

// Disconnect ends the integration. Its setup stays readable.
func (i *Integration) Disconnect(r Reason) {
	i.Status, i.Reason, i.GrantID = Disconnected, r, uuid.Nil
}
