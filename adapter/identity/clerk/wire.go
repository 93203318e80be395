package clerk

import (
	"encoding/json"
	"strings"
	"time"

	"docledger/domain/identity"
)

// These are the keys of the trial in an organization's public metadata (interface 2.4).
const (
	trialExpiryDate          = "trial_expiry_date"
	trialMaxEntities         = "trial_max_entities"
	trialMaxInvoicesPerMonth = "trial_max_invoices_per_month"
)

// millis is a time of the API, in milliseconds since 1970.
type millis int64

func (m millis) time() time.Time {
	if m <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(m)).UTC()
}

type wireOrganization struct {
	ID             string                     `json:"id"`
	Name           string                     `json:"name"`
	CreatedAt      millis                     `json:"created_at"`
	UpdatedAt      millis                     `json:"updated_at"`
	Deleted        bool                       `json:"deleted"`
	PublicMetadata map[string]json.RawMessage `json:"public_metadata"`
}

func (w wireOrganization) ours() identity.ProviderOrganization {
	if w.Deleted {
		return identity.ProviderOrganization{ID: w.ID, Deleted: true}
	}
	return identity.ProviderOrganization{
		ID: w.ID, Name: w.Name, CreatedAt: w.CreatedAt.time(), UpdatedAt: w.UpdatedAt.time(),
		Trial: identity.TrialMetadata{
			ExpiryDate:          asText(w.PublicMetadata[trialExpiryDate]),
			MaxEntities:         asCount(w.PublicMetadata[trialMaxEntities]),
			MaxInvoicesPerMonth: asCount(w.PublicMetadata[trialMaxInvoicesPerMonth]),
		},
	}
}

// asText and asCount decode values that users of the provider can edit: a value of another type is
// treated as absent.
func asText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func asCount(raw json.RawMessage) int {
	var n float64
	if json.Unmarshal(raw, &n) != nil || n < 0 || n > 1<<31-1 || n != float64(int(n)) {
		return 0
	}
	return int(n)
}

type wireMemberships struct {
	Data []struct {
		Role         string           `json:"role"`
		CreatedAt    millis           `json:"created_at"`
		Organization wireOrganization `json:"organization"`
	} `json:"data"`
	TotalCount int `json:"total_count"`
}

type wireMembers struct {
	Data       []wireMember `json:"data"`
	TotalCount int          `json:"total_count"`
}

type wireMember struct {
	Role string `json:"role"`
	User struct {
		ID         string `json:"user_id"`
		Identifier string `json:"identifier"` // an e-mail address, a telephone number or a name
		FirstName  string `json:"first_name"`
		LastName   string `json:"last_name"`
	} `json:"public_user_data"`
}

func (w wireMember) ours() identity.ProviderMember {
	m := identity.ProviderMember{Role: roleOf(w.Role), User: identity.ProviderUser{
		ID: w.User.ID, Name: strings.TrimSpace(w.User.FirstName + " " + w.User.LastName),
	}}
	if strings.Contains(w.User.Identifier, "@") {
		m.User.Email = identity.NormalizeEmail(w.User.Identifier)
	}
	if m.User.Name == "" {
		m.User.Name = w.User.Identifier
	}
	return m
}

type wireUser struct {
	ID             string        `json:"id"`
	FirstName      string        `json:"first_name"`
	LastName       string        `json:"last_name"`
	Username       string        `json:"username"`
	Banned         bool          `json:"banned"`
	Locked         bool          `json:"locked"`
	PasswordSet    bool          `json:"password_enabled"`
	SecondFactor   bool          `json:"two_factor_enabled"`
	PrimaryEmailID string        `json:"primary_email_address_id"`
	EmailAddresses []wireAddress `json:"email_addresses"`
}

type wireAddress struct {
	ID           string `json:"id"`
	Address      string `json:"email_address"`
	Verification struct {
		Status string `json:"status"`
	} `json:"verification"`
}

func (a wireAddress) confirmed() bool { return a.Verification.Status == "verified" }

func (w wireUser) ours() identity.ProviderUser {
	u := identity.ProviderUser{ID: w.ID, Name: strings.TrimSpace(w.FirstName + " " + w.LastName)}
	if u.Name == "" {
		u.Name = w.Username
	}
	for _, a := range w.EmailAddresses {
		if a.ID == w.PrimaryEmailID && a.confirmed() {
			u.Email = identity.NormalizeEmail(a.Address)
		}
	}
	return u
}

// owns reports whether a normalized address belongs to the person.
func (w wireUser) owns(email string) bool {
	for _, a := range w.EmailAddresses {
		if a.confirmed() && identity.NormalizeEmail(a.Address) == email {
			return true
		}
	}
	return false
}
