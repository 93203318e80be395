package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// empty sets the members of a body to null that ArgClear names. A path leads
// into an object (`payment.iban`) or, with the id of the item, into a list
// (`lines.<id>.account_id`).
func (t Tool) empty(body Object, names any) error {
	list, _ := names.([]any)
	for _, name := range list {
		path := strings.Split(fmt.Sprint(name), ".")
		if !t.clears || !slices.Contains(t.body, path[0]) {
			return fmt.Errorf("%s: there is no argument %s", ArgClear, CleanText(path[0]))
		}
		if err := emptyAt(body, path); err != nil {
			return fmt.Errorf("%s: %s %w", ArgClear, CleanText(fmt.Sprint(name)), err)
		}
	}
	return nil
}

func emptyAt(o Object, path []string) error {
	name := path[0]
	if len(path) == 1 {
		if o[name] != nil {
			return fmt.Errorf("also has a value")
		}
		o[name] = nil
		return nil
	}
	if o[name] == nil && len(path) == 3 {
		o[name] = []any{}
	}
	switch member := o[name].(type) {
	case nil:
		inner := Object{}
		o[name] = inner
		return emptyAt(inner, path[1:])
	case Object:
		return emptyAt(member, path[1:])
	case []any:
		for _, item := range member {
			if inner, ok := item.(Object); ok && inner["id"] == path[1] && len(path) > 2 {
				return emptyAt(inner, path[2:])
			}
		}
		if len(path) < 3 {
			return fmt.Errorf("names no member of the item")
		}
		inner := Object{"id": path[1]}
		o[name] = append(member, inner)
		return emptyAt(inner, path[2:])
	}
	return fmt.Errorf("leads into a value that has no members")
}
