package store

import "github.com/google/uuid"

// SearchOf is the full-text query of a search of an organization on SQLite.
func SearchOf(organization uuid.UUID, text string) string {
	s := &Store{}
	c, _ := s.searched(organization, text)
	query, _ := c.values[0].(string)
	return query
}
