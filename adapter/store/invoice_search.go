package store

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// searched is a condition that finds the invoices of a search from indexes. There is none for a
// search without three letters.
func (s *Store) searched(organization uuid.UUID, query string) (condition, bool) {
	c, ok := s.searchedIDs(organization, query)
	c.sql = "invoices.id IN (" + c.sql + ")"
	return c, ok
}

// searchedIDs selects the ids that searched compares.
func (s *Store) searchedIDs(organization uuid.UUID, query string) (condition, bool) {
	return s.searchedTexts(organization, query, true)
}

// searchedTexts selects the ids of the invoices of which the index of searches has the trigrams of a search, or of which an
// amount is that of the search. Without sellers, it does not search the names of sellers.
func (s *Store) searchedTexts(organization uuid.UUID, query string, sellers bool) (condition, bool) {
	text := folded(query)
	trigrams := trigramsOf(text)
	amounts := amountsOf(query)
	if len(trigrams) == 0 {
		return condition{}, false
	}
	var c condition
	if s.postgres {
		// Because of the subqueries the planner does not know the keys and expects few invoices. It would read all
		// invoices and compute the keys of each for a text that most of them have.
		has := "invoice_search_values(i.organization_id, i.search, i.search_file) @> (SELECT ARRAY[?])"
		c.sql = "SELECT i.id AS invoice_id FROM invoices AS i WHERE (" + has
		c.values = []any{searchKeys("invoice_search_key", organization, trigrams)}
		if sellers {
			c.sql += " OR " + has
			c.values = append(c.values, searchKeys("invoice_seller_key", organization, trigrams))
		}
		c.sql += ")"
	} else {
		c.sql = "SELECT k.invoice_id FROM invoice_search JOIN invoice_search_keys AS k ON k.n = abs(invoice_search.rowid) WHERE invoice_search MATCH ?"
		c.values = []any{matchAll(append([]string{searchMark(organization)}, trigrams...))}
		if !sellers {
			c.sql += " AND invoice_search.rowid > 0"
		}
	}
	for _, amount := range [][2]string{
		{"invoices_by_gross", "coalesce(i.gross_fixed, -9000000000000000000) IN ?"}, {"invoices_by_net", "i.net_fixed IN ?"},
		{"invoices_by_other_due", "i.due_fixed IN ? AND i.due_fixed <> coalesce(i.gross_fixed, -9000000000000000000)"},
	} {
		if len(amounts) == 0 {
			break
		}
		index := ""
		if !s.postgres {
			index = " INDEXED BY " + amount[0] // SQLite would read all amounts that are due from the index of sums
		}
		c.sql += " UNION ALL SELECT i.id FROM invoices AS i" + index + " WHERE i.organization_id = ? AND " + amount[1]
		c.values = append(c.values, organization, amounts)
	}
	return c, true
}

// searchKeys computes the keys of trigrams in the index of PostgreSQL.
func searchKeys(function string, organization uuid.UUID, trigrams []string) clause.Expr {
	calls, values := make([]string, len(trigrams)), make([]any, 0, 2*len(trigrams))
	for i, t := range trigrams {
		calls[i] = function + "(?, ?)"
		values = append(values, organization, t)
	}
	return gorm.Expr(strings.Join(calls, ", "), values...)
}

// maxTrigrams is the number of trigrams that a search of SQLite compares. LIKE compares the whole
// text.
const maxTrigrams = 6

// trigramsOf returns trigrams of a text, those with the most digits first, because few invoices share
// them.
func trigramsOf(text string) []string {
	letters := []rune(text)
	var found []string
	for i := 0; i+3 <= len(letters); i++ {
		if t := string(letters[i : i+3]); !slices.Contains(found, t) {
			found = append(found, t)
		}
	}
	digits := func(t string) (n int) {
		for _, r := range t {
			if r >= '0' && r <= '9' {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(found, func(a, b string) int { return digits(b) - digits(a) })
	return found[:min(len(found), maxTrigrams)]
}

// searchMark is the trigram of an organization in the index of searches of SQLite, as its triggers compute
// it: three characters for private use, from the last nine digits of the id.
func searchMark(organization uuid.UUID) string {
	const private, digits = 0xE000, 3
	text, mark := organization.String(), make([]rune, 0, digits)
	for end := len(text) - 2*digits; end <= len(text); end += digits {
		n, err := strconv.ParseUint(text[end-digits:end], 16, 16)
		if err != nil {
			return "" // the text of an id has digits only
		}
		mark = append(mark, private+rune(n))
	}
	return string(mark)
}

// matchAll is the full-text query for rows with all trigrams.
func matchAll(trigrams []string) string {
	return strings.Join(mapped(trigrams, func(t string) string { return `"` + strings.ReplaceAll(t, `"`, `""`) + `"` }), " AND ")
}
