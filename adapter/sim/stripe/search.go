package stripe

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// clause is one condition of a search: field:"value", -field:"value",
// field~"part", created>5.
type clause struct {
	negated bool
	field   string
	key     string // of metadata
	op      string
	value   string
}

var clauseText = regexp.MustCompile(`^(-?)([a-z_]+)(?:\[(?:"([^"]+)"|'([^']+)')\])?(:|~|>=|<=|>|<)(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(\w+))`)

// parseQuery parses a search query. All conditions are joined by AND (or a space), or all by OR.
func parseQuery(query string) (clauses []clause, either bool, err error) {
	rest := strings.TrimSpace(query)
	for first := true; rest != ""; first = false {
		if !first {
			if or := strings.HasPrefix(rest, "OR "); or || strings.HasPrefix(rest, "AND ") {
				if len(clauses) > 1 && or != either {
					return nil, false, fmt.Errorf("AND and OR can't be mixed")
				}
				either = or
				rest = strings.TrimSpace(rest[strings.Index(rest, " "):])
			}
		}
		m := clauseText.FindStringSubmatch(rest)
		if m == nil {
			return nil, false, fmt.Errorf("we were unable to parse your search query near %q", rest)
		}
		clauses = append(clauses, clause{
			negated: m[1] != "", field: m[2], key: m[3] + m[4], op: m[5], value: unescape(m[6] + m[7] + m[8]),
		})
		rest = strings.TrimSpace(rest[len(m[0]):])
	}
	if len(clauses) == 0 {
		return nil, false, fmt.Errorf("the query is empty")
	}
	return clauses, either, nil
}

var escaped = regexp.MustCompile(`\\(.)`)

func unescape(s string) string { return escaped.ReplaceAllString(s, "$1") }

func (c clause) holds(object map[string]any) bool {
	value, given := object[c.field], object[c.field] != nil
	if c.field == "metadata" {
		values, _ := object["metadata"].(map[string]any)
		value, given = values[c.key], values[c.key] != nil
	}
	var hit bool
	switch text := fmt.Sprint(value); c.op {
	case ":":
		hit = given && strings.EqualFold(text, c.value) || !given && c.value == "null"
	case "~":
		hit = given && strings.Contains(lower(text), lower(c.value))
	default:
		hit = given && compare(value, c.op, c.value)
	}
	return hit != c.negated
}

func compare(value any, op, bound string) bool {
	number, ok := value.(json.Number)
	if !ok {
		return false
	}
	a, errA := number.Int64()
	b, errB := strconv.ParseInt(bound, 10, 64)
	if errA != nil || errB != nil {
		return false
	}
	switch op {
	case ">":
		return a > b
	case ">=":
		return a >= b
	case "<":
		return a < b
	}
	return a <= b
}

// search searches a kind of object in the state of the index.
func (s *Server) search(object string) operation {
	return func(c *call) (any, *apiError) {
		query := c.required("query")
		limit := int64(defaultPage)
		if n, given := c.within("limit", 1, largestPage); given {
			limit = n
		}
		token, _ := c.value("page")
		if e := c.done(); e != nil {
			return nil, e
		}
		clauses, either, err := parseQuery(query)
		if err != nil {
			return nil, invalid("", "query", "%s", err)
		}
		offset := 0
		if token != "" {
			if offset, err = strconv.Atoi(token); err != nil || offset < 0 {
				return nil, invalid("", "page", "Invalid page: %s", token)
			}
		}
		found := s.searched(object, clauses, either)
		found = found[min(offset, len(found)):]
		out := map[string]any{"object": "search_result", "url": c.request.URL.Path, "has_more": false, "next_page": nil}
		if len(found) > int(limit) {
			found = found[:limit]
			out["has_more"], out["next_page"] = true, strconv.Itoa(offset+int(limit))
		}
		data := make([]any, 0, len(found))
		for _, o := range found {
			data = append(data, render(copied(o), c.version))
		}
		out["data"] = data
		return out, nil
	}
}

func (s *Server) searched(object string, clauses []clause, either bool) []map[string]any {
	now := s.Kit.Clock.Now()
	var found []map[string]any
	for id := range s.store.indexed {
		seen := s.visible(id, now)[0]
		if seen.at.Add(s.limits.SearchLag).After(now) || seen.object == nil || seen.object["object"] != object {
			continue
		}
		fits := func(c clause) bool { return c.holds(seen.object) }
		if either && slices.ContainsFunc(clauses, fits) || !either && len(filter(clauses, fits)) == len(clauses) {
			found = append(found, seen.object)
		}
	}
	slices.SortFunc(found, func(a, b map[string]any) int {
		return strings.Compare(orderOf(b), orderOf(a)) // newest first
	})
	return found
}

func orderOf(o map[string]any) string { return fmt.Sprintf("%020s %v", o["created"], o["id"]) }
