package integration

import (
	"slices"
	"time"

	"docledger/domain/fault"

	"github.com/google/uuid"
)

// Status is where an integration stands (decisions 2). Answers may show more
// values in later versions.
type Status string

// The statuses.
const (
	Pending      Status = "PENDING"
	Active       Status = "ACTIVE"
	Failed       Status = "ERROR"
	Disconnected Status = "DISCONNECTED" // for good; a new integration takes its place
)

// Statuses lists them in their order.
func Statuses() []Status { return []Status{Pending, Active, Failed, Disconnected} }

// Reason says why an integration is not ACTIVE; "" where there is nothing to
// say.
type Reason string

// The reasons.
const (
	ConsentMissing       Reason = "consent_missing"         // PENDING: nobody has consented yet
	ConsentRefused       Reason = "consent_refused"         // PENDING: the person declined
	SetupMissing         Reason = "setup_missing"           // PENDING: consented, not set up
	VerificationPending  Reason = "verification_pending"    // PENDING: set up while the provider is out of reach
	ReconnectNeeded      Reason = "reconnect_needed"        // ERROR: the consent has ended
	TenantChanged        Reason = "tenant_changed"          // ERROR: the new consent does not reach the old tenant
	TenantDisconnected   Reason = "tenant_disconnected"     // ERROR: the tenant was taken off at the provider
	AccessLost           Reason = "access_lost"             // ERROR: the watched place is gone or forbidden
	ScopeMissing         Reason = "scope_missing"           // ERROR: a permission that is needed was not granted
	EndedHere            Reason = "ended"                   // DISCONNECTED, nothing is left at the provider
	LeftAtProvider       Reason = "left_at_provider"        // DISCONNECTED, the application is to be removed there
	TenantLeftAtProvider Reason = "tenant_left_at_provider" // DISCONNECTED, the tenant is to be taken off there
)

// Reasons lists every reason, so that specs can be compared with it.
func Reasons() []Reason {
	return []Reason{
		ConsentMissing, ConsentRefused, SetupMissing, VerificationPending, ReconnectNeeded, TenantChanged, TenantDisconnected,
		AccessLost, ScopeMissing, EndedHere, LeftAtProvider, TenantLeftAtProvider,
	}
}

var reasonTexts = map[Reason]string{
	ConsentMissing:       "Nobody has consented at the provider yet. Open the authorization URL.",
	ConsentRefused:       "The consent was declined at the provider. Connect again to ask for it anew.",
	SetupMissing:         "The consent is given. Set the integration up to activate it.",
	VerificationPending:  "The set-up is stored, but the provider could not be reached to verify it. It is tried again.",
	ReconnectNeeded:      "The provider no longer accepts the connection. Connect the integration again.",
	TenantChanged:        "The new consent does not reach the organization that the integration was set up with. Connect again and choose that organization.",
	TenantDisconnected:   "The organization was disconnected at the provider. Connect the integration again and choose it.",
	AccessLost:           "The watched place is gone or may no longer be read. Restore access to it, or connect again.",
	ScopeMissing:         "A permission that is needed was not granted. Connect again and grant all that is asked for.",
	EndedHere:            "The integration was disconnected.",
	LeftAtProvider:       "The integration was disconnected. The application's access is still listed at the provider, where it can be removed.",
	TenantLeftAtProvider: "The integration was disconnected. The organization's connection is still listed at the provider, where it can be removed.",
}

// Text says in words what a reason means and what to do.
func (r Reason) Text() string { return reasonTexts[r] }

// AccountingMetadata is the set-up of an accounting integration (interface
// 2.2).
type AccountingMetadata struct {
	Tenant     string // organization_id: the provider's tenant
	TenantName string
	PaysTax    bool // false: bills are booked tax-inclusive
}

// TriggerMetadata is the set-up of a trigger integration (interface 2.2).
type TriggerMetadata struct {
	Source      string
	SubSource   string
	Directories []string // empty: all of it
}

// Integration is an entity's connection to a provider.
type Integration struct {
	ID             uuid.UUID
	OrganizationID uuid.UUID
	EntityID       uuid.UUID
	Provider       Provider
	Status         Status
	Reason         Reason
	GrantID        uuid.UUID // Nil before the first consent and after the end
	// Exactly the one of the provider's type is set, and only once the
	// integration was set up.
	Accounting     *AccountingMetadata
	Trigger        *TriggerMetadata
	CreatedBy      uuid.UUID
	LastActivityAt time.Time // of the last call that succeeded; zero for none
	Version        int
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// New returns an integration that waits for a consent.
func New(id, organization, entity uuid.UUID, p Provider) *Integration {
	return &Integration{
		ID: id, OrganizationID: organization, EntityID: entity, Provider: p,
		Status: Pending, Reason: ConsentMissing, Version: 1,
	}
}

// Type returns what the integration is for.
func (i *Integration) Type() Type { return i.Provider.Type() }

// IsSetUp says whether a tenant or a place was chosen.
func (i *Integration) IsSetUp() bool { return i.Accounting != nil || i.Trigger != nil }

// Tenant returns the provider's tenant, "" where none is chosen.
func (i *Integration) Tenant() string {
	if i.Accounting == nil {
		return ""
	}
	return i.Accounting.Tenant
}

// RequireType refuses an operation that is for the other type.
func (i *Integration) RequireType(t Type) error {
	if i.Type() == t {
		return nil
	}
	return fault.InvalidField("integrationId", "names an integration of type %s; this operation is for %s", i.Type(), t)
}

// RequireConsent refuses what needs a consent while there is none, naming the
// missing step.
func (i *Integration) RequireConsent() error {
	switch {
	case i.Status == Disconnected:
		return i.ended()
	case i.GrantID == uuid.Nil:
		return outOfOrder("authorize", "Nobody has consented at %s yet. First call POST /api/v1/integrations/oauth/authorize and open the authorization URL.", i.Provider)
	}
	return nil
}

// RequireActive refuses what needs a working integration, naming the missing
// step.
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

// RequireConnectable refuses a new consent for an integration that has ended.
func (i *Integration) RequireConnectable() error {
	if i.Status == Disconnected {
		return i.ended()
	}
	return nil
}

func (i *Integration) ended() error {
	return fault.New(fault.Conflict, fault.CodeConflict,
		"The integration was disconnected. Make a new one with POST /api/v1/integrations/oauth/authorize.").
		With("status", string(i.Status))
}

// outOfOrder refuses a step before the one that it needs.
func outOfOrder(step, format string, args ...any) error {
	return fault.New(fault.Conflict, fault.CodeConflict, format, args...).With("missing_step", step)
}

// Consented puts the integration on a grant. reachable are the tenants that
// the consent reaches, nil where they could not be read or there are none: an
// integration whose tenant is not among them must not go on with another.
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

// Verified makes a set-up that the provider confirmed ACTIVE.
func (i *Integration) Verified() { i.Status, i.Reason = Active, "" }

// Unverified keeps a set-up that could not be confirmed yet.
func (i *Integration) Unverified() { i.Status, i.Reason = Pending, VerificationPending }

// Fail marks an integration that no longer works; one that has ended stays so.
func (i *Integration) Fail(r Reason) {
	if i.Status != Disconnected {
		i.Status, i.Reason = Failed, r
	}
}

// Disconnect ends the integration. Its set-up stays readable.
func (i *Integration) Disconnect(r Reason) {
	i.Status, i.Reason, i.GrantID = Disconnected, r, uuid.Nil
}
