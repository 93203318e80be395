package clerk

import (
	"net/http"
	"slices"
	"strings"
)

// usersAsked returns the users with one of the requested addresses, or all.
func (s *Server) usersAsked(r *http.Request) []any {
	q := r.URL.Query()
	wanted := slices.Concat(q["email_address"], q["email_address[]"])
	list := []any{}
	for _, u := range s.store.users {
		if len(wanted) == 0 || slices.ContainsFunc(wanted, func(e string) bool { return strings.EqualFold(e, u.Email) }) {
			list = append(list, s.renderUser(u))
		}
	}
	return list
}

func (s *Server) listUsers(r *http.Request) (any, *failure) {
	list := s.usersAsked(r)
	limit, offset := window(r)
	from := min(offset, len(list))
	return list[from:min(from+limit, len(list))], nil
}

func (s *Server) countUsers(r *http.Request) (any, *failure) {
	return map[string]any{"object": "total_count", "total_count": len(s.usersAsked(r))}, nil
}

func (s *Server) createUser(r *http.Request) (any, *failure) {
	var in struct {
		Emails    []string `json:"email_address"`
		Password  string   `json:"password"`
		FirstName string   `json:"first_name"`
		LastName  string   `json:"last_name"`
	}
	if f := readJSON(r, &in); f != nil {
		return nil, f
	}
	if len(in.Emails) != 1 || !strings.Contains(in.Emails[0], "@") {
		return nil, invalid("email_address must hold one address.")
	}
	if s.store.userByEmail(in.Emails[0]) != nil {
		return nil, failed(http.StatusUnprocessableEntity, "form_identifier_exists", "That email address is taken.")
	}
	u := s.store.addUser(User{
		Email: in.Emails[0], Password: in.Password, FirstName: in.FirstName, LastName: in.LastName,
	}, s.Kit.Clock.Now())
	s.emit("user.created", s.renderUser(u))
	return s.renderUser(u), nil
}

func (s *Server) getUser(r *http.Request) (any, *failure) {
	if u := s.store.user(r.PathValue("id")); u != nil {
		return s.renderUser(u), nil
	}
	return nil, notFound("user")
}

// ban bans a user, or ends the ban. The memberships remain.
func (s *Server) ban(banned bool) func(*http.Request) (any, *failure) {
	return func(r *http.Request) (any, *failure) {
		u := s.store.user(r.PathValue("id"))
		if u == nil {
			return nil, notFound("user")
		}
		u.Banned = banned
		s.emit("user.updated", s.renderUser(u))
		return s.renderUser(u), nil
	}
}

func (s *Server) verifyPassword(r *http.Request) (any, *failure) {
	var in struct {
		Password string `json:"password"`
	}
	if f := readJSON(r, &in); f != nil {
		return nil, f
	}
	u := s.store.user(r.PathValue("id"))
	switch {
	case u == nil:
		return nil, notFound("user")
	case u.Password == "":
		return nil, failed(http.StatusBadRequest, "no_password_set", "The user has no password set.")
	case u.Password != in.Password:
		return nil, failed(http.StatusUnprocessableEntity, "incorrect_password", "The password is incorrect.")
	}
	return map[string]any{"verified": true}, nil
}

func (s *Server) listPlaces(r *http.Request) (any, *failure) {
	u := s.store.user(r.PathValue("id"))
	if u == nil {
		return nil, notFound("user")
	}
	return paged(r, s.renderMemberships(func(m *Membership) bool { return m.UserID == u.ID })), nil
}
