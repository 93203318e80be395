package clerk

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// User is a person. Empty fields get default values.
type User struct {
	ID           string
	Email        string
	Password     string // "" for none
	FirstName    string
	LastName     string
	Unconfirmed  bool // the address was not verified
	SecondFactor bool
	Banned       bool
	CreatedAt    time.Time
}

// Organization is an organization. Empty fields get default values.
type Organization struct {
	ID              string
	Name            string
	Slug            string
	PublicMetadata  map[string]any
	PrivateMetadata map[string]any
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// Membership is a user's membership of an organization.
type Membership struct {
	ID             string
	UserID         string
	OrganizationID string
	Role           string // org:admin or org:member; "" for org:member
	CreatedAt      time.Time
}

// Client is an OAuth application.
type Client struct {
	ID     string
	Name   string
	Secret string // "" makes the client public
	// RedirectURIs are compared exactly. One with a loopback host and no port matches every port
	// (RFC 8252, 7.3).
	RedirectURIs []string
	// LoopbackRedirects also accepts every http URI with a loopback host.
	LoopbackRedirects bool
}

func (c *Client) public() bool { return c.Secret == "" }

// session is a user's sign-in.
type session struct {
	id           string
	user         string
	organization string // the active one; "" for none
	secret       string // the browser's cookie
}

// grant is the permission that a user gave a client.
type grant struct {
	client       string
	user         string
	organization string // chosen at consent; "" for none
	scopes       []string
	refresh      string
}

// code is an authorization code.
type code struct {
	value       string
	redirectURI string
	challenge   string // S256; "" for none
	nonce       string
	expires     time.Time
	grant       *grant
	used        bool
}

// opaque is an access token that is not a JWT.
type opaque struct {
	id      string
	grant   *grant
	created time.Time
	expires time.Time
	revoked bool
}

type store struct {
	users         []*User
	organizations []*Organization
	memberships   []*Membership
	clients       []*Client
	sessions      map[string]*session // by id
	codes         map[string]*code    // by value
	grants        map[string]*grant   // by refresh token
	opaque        map[string]*opaque  // by value
}

func newStore(o Options, now time.Time) store {
	s := store{
		sessions: map[string]*session{}, codes: map[string]*code{},
		grants: map[string]*grant{}, opaque: map[string]*opaque{},
	}
	for _, u := range o.Users {
		s.addUser(u, now)
	}
	for _, org := range o.Organizations {
		s.addOrganization(org, now)
	}
	for _, m := range o.Memberships {
		s.addMembership(m, now)
	}
	for _, c := range o.Clients {
		s.clients = append(s.clients, &c)
	}
	return s
}

func (s *store) addUser(u User, now time.Time) *User {
	u.ID = cmp.Or(u.ID, newID("user"))
	u.CreatedAt = firstTime(u.CreatedAt, now)
	s.users = append(s.users, &u)
	return &u
}

func (s *store) addOrganization(o Organization, now time.Time) *Organization {
	o.ID = cmp.Or(o.ID, newID("org"))
	o.Slug = cmp.Or(o.Slug, slug(o.Name))
	o.CreatedAt = firstTime(o.CreatedAt, now)
	o.UpdatedAt = firstTime(o.UpdatedAt, o.CreatedAt)
	o.PublicMetadata = merge(nil, o.PublicMetadata)
	o.PrivateMetadata = merge(nil, o.PrivateMetadata)
	s.organizations = append(s.organizations, &o)
	return &o
}

func (s *store) addMembership(m Membership, now time.Time) *Membership {
	m.ID = cmp.Or(m.ID, newID("orgmem"))
	m.Role = cmp.Or(m.Role, "org:member")
	m.CreatedAt = firstTime(m.CreatedAt, now)
	s.memberships = append(s.memberships, &m)
	return &m
}

func firstTime(t, otherwise time.Time) time.Time {
	if t.IsZero() {
		return otherwise
	}
	return t.UTC()
}

func slug(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(name)), "-")
}

func (s *store) user(id string) *User {
	return find(s.users, func(u *User) bool { return u.ID == id })
}

func (s *store) userByEmail(email string) *User {
	return find(s.users, func(u *User) bool { return strings.EqualFold(u.Email, email) })
}

// organization finds an organization by id or slug.
func (s *store) organization(id string) *Organization {
	return find(s.organizations, func(o *Organization) bool { return o.ID == id || o.Slug == id })
}

func (s *store) client(id string) *Client {
	return find(s.clients, func(c *Client) bool { return c.ID == id })
}

func (s *store) membership(user, organization string) *Membership {
	return find(s.memberships, func(m *Membership) bool { return m.UserID == user && m.OrganizationID == organization })
}

// membershipsOf lists a user's memberships, or an organization's members, newest first as the
// provider does.
func (s *store) membershipsOf(fits func(*Membership) bool) []*Membership {
	var out []*Membership
	for _, m := range slices.Backward(s.memberships) {
		if fits(m) {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b *Membership) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return out
}

func (s *store) removeOrganization(id string) {
	s.organizations = slices.DeleteFunc(s.organizations, func(o *Organization) bool { return o.ID == id })
	s.memberships = slices.DeleteFunc(s.memberships, func(m *Membership) bool { return m.OrganizationID == id })
}

func (s *store) removeMembership(gone *Membership) {
	s.memberships = slices.DeleteFunc(s.memberships, func(m *Membership) bool { return m == gone })
}

func find[T any](all []*T, fits func(*T) bool) *T {
	if i := slices.IndexFunc(all, fits); i >= 0 {
		return all[i]
	}
	return nil
}

// merge applies changes to an object and its nested objects. null removes a key. It changes
// neither argument.
func merge(into, changes map[string]any) map[string]any {
	out := make(map[string]any, len(into)+len(changes))
	for name, value := range into {
		out[name] = value
	}
	for name, value := range changes {
		inner, isObject := value.(map[string]any)
		old, _ := out[name].(map[string]any)
		switch {
		case value == nil:
			delete(out, name)
		case isObject:
			out[name] = merge(old, inner)
		default:
			out[name] = value
		}
	}
	return out
}
