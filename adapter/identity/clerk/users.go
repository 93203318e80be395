package clerk

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/infrastructure/httpclient"
)

const (
	pageSize       = 100
	maxMemberships = 1000 // per person; further ones are not listed
)

// Users implements identity.UserDirectory.
type Users struct{ api api }

var _ identity.UserDirectory = Users{}

// User implements identity.UserDirectory.
func (u Users) User(ctx context.Context, id string) (identity.ProviderUser, error) {
	const doing = "read user"
	if !validID(id) {
		return identity.ProviderUser{}, missing("user")
	}
	var got wireUser
	err := u.api.do(ctx, call{doing: doing, what: "user", method: http.MethodGet, path: []string{"users", id}}, &got)
	if err == nil && got.ID != id {
		err = malformed(doing)
	}
	if err == nil && got.Banned {
		err = missing("user")
	}
	if err != nil {
		return identity.ProviderUser{}, err
	}
	return got.ours(), nil
}

// Memberships implements identity.UserDirectory.
func (u Users) Memberships(ctx context.Context, user string) ([]identity.ProviderMembership, error) {
	const doing = "list memberships"
	if !validID(user) {
		return nil, missing("user")
	}
	var out []identity.ProviderMembership
	for len(out) < maxMemberships {
		var page wireMemberships
		err := u.api.do(ctx, call{
			doing: doing, what: "user",
			method: http.MethodGet, path: []string{"users", user, "organization_memberships"},
			query: url.Values{"limit": {strconv.Itoa(pageSize)}, "offset": {strconv.Itoa(len(out))}},
		}, &page)
		if err != nil {
			return nil, err
		}
		for _, m := range page.Data {
			if !validID(m.Organization.ID) {
				return nil, malformed(doing)
			}
			out = append(out, identity.ProviderMembership{
				Organization: m.Organization.ours(), Role: roleOf(m.Role), CreatedAt: m.CreatedAt.time(),
			})
		}
		if len(page.Data) == 0 || len(out) >= page.TotalCount {
			break
		}
	}
	slices.SortStableFunc(out, func(a, b identity.ProviderMembership) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return out, nil
}

// byEmail returns the person who owns a normalized address, or nil.
func (u Users) byEmail(ctx context.Context, email string) (*wireUser, error) {
	var got []wireUser
	err := u.api.do(ctx, call{
		doing: "find user", what: "user",
		method: http.MethodGet, path: []string{"users"}, query: url.Values{"email_address": {email}},
	}, &got)
	if err != nil {
		return nil, err
	}
	for _, user := range got {
		if validID(user.ID) && user.owns(email) {
			return &user, nil
		}
	}
	return nil, nil
}

// verifyPassword reports whether the password is the user's.
func (u Users) verifyPassword(ctx context.Context, id, password string) (bool, error) {
	const doing = "verify password"
	var got struct {
		Verified bool `json:"verified"`
	}
	err := u.api.do(ctx, call{
		doing: doing, what: "user",
		method: http.MethodPost, path: []string{"users", id, "verify_password"},
		body: map[string]string{"password": password},
	}, &got)
	switch httpclient.StatusOf(err) {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity:
		return false, nil // no password, a deleted user, or a wrong password
	}
	return got.Verified, err
}

// Passwords implements identity.PasswordChecker with the backend API, which checks only the
// password.
type Passwords struct {
	users Users
	floor time.Duration
}

var _ identity.PasswordChecker = Passwords{}

// CheckPassword implements identity.PasswordChecker.
func (p Passwords) CheckPassword(ctx context.Context, email, password string) (identity.ProviderUser, error) {
	timer := time.NewTimer(p.floor)
	defer timer.Stop()
	user, err := p.check(ctx, identity.NormalizeEmail(email), password)
	if fault.CodeOf(err) != fault.CodeInvalidCredentials {
		return user, err
	}
	select {
	case <-timer.C:
		return identity.ProviderUser{}, err
	case <-ctx.Done():
		return identity.ProviderUser{}, fmt.Errorf("check password: %w", ctx.Err())
	}
}

func (p Passwords) check(ctx context.Context, email, password string) (identity.ProviderUser, error) {
	if email == "" || password == "" {
		return identity.ProviderUser{}, errCredentials()
	}
	user, err := p.users.byEmail(ctx, email)
	if err != nil {
		return identity.ProviderUser{}, err
	}
	if user == nil || !user.PasswordSet || user.Banned || user.Locked {
		return identity.ProviderUser{}, errCredentials()
	}
	verified, err := p.users.verifyPassword(ctx, user.ID, password)
	switch {
	case err != nil:
		return identity.ProviderUser{}, err
	case !verified:
		return identity.ProviderUser{}, errCredentials()
	case user.SecondFactor:
		return identity.ProviderUser{}, errSecondFactor()
	}
	signedIn := user.ours()
	if signedIn.Email == "" {
		signedIn.Email = email
	}
	return signedIn, nil
}

func errCredentials() error {
	return fault.New(fault.Unauthenticated, fault.CodeInvalidCredentials,
		"The e-mail address or the password is wrong, or the account is not a member of the organization.")
}

func errSecondFactor() error {
	return fault.New(fault.Unauthenticated, fault.CodeInvalidCredentials,
		"This account has a second factor, which cannot be given here. Sign in on the web application's page.")
}
