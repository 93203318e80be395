package catalog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// bytesPerToken is a lower bound for the bytes of JSON per token. Ids and
// digits take more tokens than prose.
const bytesPerToken = 3

// Budget is the maximum length of a response in bytes.
func Budget(arguments Object) int {
	tokens := DefaultTokens
	if n, ok := arguments[ArgMaxTokens].(json.Number); ok {
		if asked, err := n.Float64(); err == nil {
			tokens = min(max(int(asked), 1), MaxTokens)
		}
	}
	return tokens * bytesPerToken
}

// Select keeps the requested fields. It always keeps the cursor of the next
// page.
func Select(answer Object, arguments Object) {
	asked, ok := arguments[ArgFields].([]any)
	if !ok || len(asked) == 0 {
		return
	}
	wanted := map[string][]string{}
	for _, name := range asked {
		first, inner, nested := strings.Cut(fmt.Sprint(name), ".")
		switch members, known := wanted[first]; {
		case !nested:
			wanted[first] = nil
		case !known:
			wanted[first] = []string{inner}
		case members != nil:
			wanted[first] = append(members, inner)
		}
	}
	items, isList := answer[listItems].([]any)
	if !isList {
		if _, ok := wanted[failedChecks]; ok {
			answer[failedChecks] = failedOf(answer)
		}
		keep(answer, wanted)
		return
	}
	for _, item := range items {
		if o, ok := item.(Object); ok {
			keep(o, wanted)
		}
	}
}

// keep removes the members of o that are not wanted. A wanted member without
// names stays whole.
func keep(o Object, wanted map[string][]string) {
	for name, member := range o {
		inner, ok := wanted[name]
		if !ok {
			delete(o, name)
			continue
		}
		if inner == nil {
			continue
		}
		members := map[string][]string{}
		for _, n := range inner {
			members[n] = nil
		}
		switch v := member.(type) {
		case Object:
			keep(v, members)
		case []any:
			for _, item := range v {
				if o, ok := item.(Object); ok {
					keep(o, members)
				}
			}
		}
	}
}

// shortFields are the members that describe the result of a change.
var shortFields = []string{"id", "invoice_number", "filename", "name", "status", "version", failedChecks}

// failedChecks is the member of an answer with the checks that failed. The API
// has it only as a part of checks.
const failedChecks = "failed_checks"

// IsShort reports whether the tool answers only what a change resulted in.
func (t Tool) IsShort() bool { return t.short }

// failedOf returns the failed checks of a record, without the member that reports
// that they failed.
func failedOf(record Object) []any {
	failed := []any{}
	checks, _ := record["checks"].([]any)
	for _, c := range checks {
		if check, ok := c.(Object); ok && check["passed"] == false {
			check = maps.Clone(check)
			delete(check, "passed")
			failed = append(failed, check)
		}
	}
	return failed
}

// Brief reduces the record that a change returns to the result of the change.
func Brief(answer Object) {
	if _, ok := answer["checks"].([]any); ok {
		answer[failedChecks] = failedOf(answer)
	}
	for name := range answer {
		if !slices.Contains(shortFields, name) {
			delete(answer, name)
		}
	}
	Shorten(answer, briefBytes)
}

// Compact removes what a model does not need from the items of a change of
// several records: empty members, and the request id, which the items share.
func Compact(answer Object) {
	items, _ := answer[listItems].([]any)
	for _, item := range items {
		o, ok := item.(Object)
		if !ok {
			continue
		}
		maps.DeleteFunc(o, func(_ string, member any) bool { return member == nil })
		failed, ok := o["error"].(Object)
		if !ok {
			continue
		}
		if details, ok := failed["details"].(Object); ok {
			if delete(details, "request_id"); len(details) == 0 {
				delete(failed, "details")
			}
		}
	}
}

// briefBytes is the maximum size of the result of a change.
const briefBytes = 1000

// Fitting returns how many items of a list fit into the budget, at least one.
func Fitting(answer Object, budget int) (fit, all int) {
	items, ok := answer[listItems].([]any)
	if !ok || size(answer) <= budget {
		return len(items), len(items)
	}
	left := budget - markerBytes - size(answer) + size(items)
	for i, item := range items {
		if left -= size(item) + 1; left < 0 {
			return max(i, 1), len(items)
		}
	}
	return len(items), len(items)
}

// markerBytes is the space for the text about omitted parts.
const markerBytes = 600

// Shorten removes the largest parts until the response fits. The member
// `truncated` names what is missing and how to get it.
func Shorten(answer Object, budget int) {
	all := size(answer)
	if all <= budget {
		return
	}
	if items, ok := answer[listItems].([]any); ok && len(items) == 1 {
		if only, ok := items[0].(Object); ok {
			// The cursor continues after this item, so the item must stay.
			Shorten(only, budget-all+size(only))
			return
		}
	}
	cut, _ := trim(answer, all-budget+markerBytes)
	answer["truncated"] = fmt.Sprintf("Omitted because the response exceeded %d tokens: %s. "+
		"Call again and name the required fields in fields, or set max_tokens up to %d.",
		budget/bytesPerToken, brief(cut), MaxTokens)
}

// essential are the members that identify a record. They are small and always
// stay.
var essential = []string{"id", "status", "version", "next_cursor"}

// trim reduces an object by about over bytes, largest members first. It returns
// what it removed and how many bytes.
func trim(o Object, over int) (cut []string, saved int) {
	type member struct {
		name string
		size int
	}
	members := make([]member, 0, len(o))
	for name, value := range o {
		if !slices.Contains(essential, name) {
			members = append(members, member{name, size(value)})
		}
	}
	slices.SortFunc(members, func(a, b member) int { return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.name, b.name)) })
	for _, m := range members {
		if saved >= over {
			break
		}
		what, less := shrink(o, m.name, m.size, over-saved)
		cut, saved = append(cut, what...), saved+less
	}
	return cut, saved
}

// shrink reduces one member of the given size by about over bytes. It removes a
// member of which nothing is left.
func shrink(o Object, name string, length, over int) (what []string, saved int) {
	part := []string{"part of " + name}
	switch v := o[name].(type) {
	case []any:
		kept := len(v)
		for kept > 0 && saved < over {
			kept--
			saved += size(v[kept]) + 1
		}
		if kept > 0 {
			o[name] = v[:kept]
			return part, saved
		}
	case string:
		for v != "" && saved < over {
			r, width := utf8.DecodeLastRuneInString(v)
			if v = v[:len(v)-width]; strings.ContainsRune("\"\\\n\t", r) {
				saved++ // its escape
			}
			saved += width
		}
		if v != "" {
			o[name] = v
			return part, saved
		}
	case Object:
		if length > over {
			inner, less := trim(v, over)
			for _, of := range inner {
				of, isPart := strings.CutPrefix(of, "part of ")
				if of = name + "." + of; isPart {
					of = "part of " + of
				}
				what = append(what, of)
			}
			return what, less
		}
	}
	delete(o, name)
	return []string{name}, length + len(name)
}

func brief(cut []string) string {
	const most = 8
	if len(cut) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(cut[:most], ", "), len(cut)-most)
	}
	return strings.Join(cut, ", ")
}

// Encode encodes a response without HTML escapes, because an escape is six
// times as long and no client shows a response as a page.
func Encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func size(value any) int {
	data, err := Encode(value)
	if err != nil {
		return 0
	}
	return len(data)
}
