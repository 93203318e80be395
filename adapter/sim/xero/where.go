package xero

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// compare returns a comparison of a field with a constant. An absent field is null, which is
// unequal to everything and not ordered.
func compare(path, operator string, with any) condition {
	return func(o object) (bool, error) {
		value, _ := o.get(path)
		if value == nil || with == nil {
			switch operator {
			case "==":
				return value == nil && with == nil, nil
			case "!=":
				return value != nil || with != nil, nil
			}
			return false, nil
		}
		order, err := ordered(value, with)
		if err != nil {
			return false, fmt.Errorf("operator '%s' incompatible with operand types: %w", operator, err)
		}
		switch operator {
		case "==":
			return order == 0, nil
		case "!=":
			return order != 0, nil
		case ">":
			return order > 0, nil
		case ">=":
			return order >= 0, nil
		case "<":
			return order < 0, nil
		}
		return order <= 0, nil
	}
}

// ordered compares two values of one type.
func ordered(a, b any) (int, error) {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), nil
		}
	case guid:
		if y, ok := b.(guid); ok {
			return strings.Compare(strings.ToLower(string(x)), string(y)), nil
		}
	case amount:
		if y, ok := b.(decimal.Decimal); ok {
			return x.Cmp(y), nil
		}
	case int:
		if y, ok := b.(decimal.Decimal); ok {
			return decimal.NewFromInt(int64(x)).Cmp(y), nil
		}
	case moment:
		if y, ok := b.(time.Time); ok {
			return x.Compare(y), nil
		}
	case bool:
		if y, ok := b.(bool); ok && x == y {
			return 0, nil
		} else if ok {
			return 1, nil
		}
	}
	return 0, fmt.Errorf("%T and %T", a, b)
}

// selected applies where, order and If-Modified-Since of a request to a list.
func selected(r *http.Request, things []object) ([]object, *answer) {
	refuse := func(err error) ([]object, *answer) {
		refused := badQuery(err.Error())
		return nil, &refused
	}
	fits, err := parseWhere(r.URL.Query().Get("where"))
	if err != nil {
		return refuse(err)
	}
	since := time.Time{}
	if header := r.Header.Get("If-Modified-Since"); header != "" {
		if since, err = time.Parse("2006-01-02T15:04:05", strings.TrimSuffix(header, "Z")); err != nil {
			since = time.Time{} // the provider ignores an invalid value
		}
	}
	out := []object{}
	for _, o := range things {
		ok, err := fits(o)
		if err != nil {
			return refuse(err)
		}
		at, _ := o.get("UpdatedDateUTC")
		if m, has := at.(moment); ok && (!has || since.IsZero() || m.After(since)) {
			out = append(out, o)
		}
	}
	if order := strings.TrimSpace(r.URL.Query().Get("order")); order != "" {
		name, way, _ := strings.Cut(order, " ")
		sortBy(out, name, strings.EqualFold(strings.TrimSpace(way), "DESC"))
	}
	return out, nil
}

func sortBy(things []object, name string, down bool) {
	slices.SortStableFunc(things, func(a, b object) int {
		x, _ := a.get(name)
		y, _ := b.get(name)
		if down {
			x, y = y, x
		}
		switch v := x.(type) {
		case string:
			w, _ := y.(string)
			return strings.Compare(v, w)
		case guid:
			w, _ := y.(guid)
			return strings.Compare(string(v), string(w))
		case moment:
			if w, ok := y.(moment); ok {
				return v.Compare(w.Time)
			}
		case amount:
			if w, ok := y.(amount); ok {
				return v.Cmp(w.Decimal)
			}
		}
		return cmp.Compare(fmt.Sprint(x), fmt.Sprint(y))
	})
}
