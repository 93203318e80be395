package stripe

import (
	"fmt"
	"net/url"
	"sort"
	"strconv"
	"strings"
)

const (
	maxPairs = 1000
	maxDepth = 8
)

// node is a nested form: `items[0][price]=p` is the leaf "p" under items, 0, price. The keys of
// lists are their indices.
type node struct {
	leaf  bool
	value string
	keys  map[string]*node
	order []string
}

// decodeForm parses a body or a query with nested keys. `a[]=1&a[]=2` numbers the elements
// automatically; `a[][b]=1&a[][c]=2` is one element with two keys.
func decodeForm(text string) (*node, error) {
	root := &node{}
	if text == "" {
		return root, nil
	}
	pairs := strings.Split(text, "&")
	if len(pairs) > maxPairs {
		return nil, fmt.Errorf("the form has more than %d parameters", maxPairs)
	}
	for _, pair := range pairs {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err != nil {
			return nil, fmt.Errorf("invalid encoding of a parameter's name")
		}
		if value, err = url.QueryUnescape(value); err != nil {
			return nil, fmt.Errorf("invalid encoding of %s", name)
		}
		path, err := splitKey(name)
		if err != nil {
			return nil, err
		}
		if err := root.put(path, value); err != nil {
			return nil, fmt.Errorf("invalid parameter %s: %w", name, err)
		}
	}
	return root, nil
}

// splitKey splits `a[b][0]` into a, b, 0; an empty bracket is an empty part.
func splitKey(name string) ([]string, error) {
	first, rest, nested := strings.Cut(name, "[")
	path := []string{first}
	if first == "" || strings.Contains(first, "]") {
		return nil, fmt.Errorf("invalid parameter name %q", name)
	}
	for nested {
		part, after, closed := strings.Cut(rest, "]")
		if !closed || strings.Contains(part, "[") {
			return nil, fmt.Errorf("invalid parameter name %q", name)
		}
		path = append(path, part)
		if after == "" {
			break
		}
		if after[0] != '[' {
			return nil, fmt.Errorf("invalid parameter name %q", name)
		}
		rest = after[1:]
	}
	if len(path) > maxDepth {
		return nil, fmt.Errorf("parameter name %q is nested too deep", name)
	}
	return path, nil
}

func (n *node) put(path []string, value string) error {
	if len(path) == 0 {
		if n.leaf || len(n.keys) > 0 {
			return fmt.Errorf("it is given twice")
		}
		n.leaf, n.value = true, value
		return nil
	}
	if n.leaf {
		return fmt.Errorf("it is both a value and a group")
	}
	key := path[0]
	if key == "" {
		key = n.index(path[1:])
	}
	child, ok := n.keys[key]
	if !ok {
		child = &node{}
		if n.keys == nil {
			n.keys = map[string]*node{}
		}
		n.keys[key] = child
		n.order = append(n.order, key)
	}
	return child.put(path[1:], value)
}

// index is the element of an empty bracket: the last one, unless it already contains the rest of
// the key.
func (n *node) index(rest []string) string {
	last := len(n.order) - 1
	if last >= 0 && len(rest) > 0 && rest[0] != "" {
		if element := n.keys[n.order[last]]; !element.leaf && element.keys[rest[0]] == nil {
			return n.order[last]
		}
	}
	return strconv.Itoa(last + 1)
}

// canonical returns the form with sorted keys, so that two forms can be compared.
func (n *node) canonical() string {
	var out strings.Builder
	n.write(&out)
	return out.String()
}

func (n *node) write(out *strings.Builder) {
	if n.leaf {
		out.WriteString(strconv.Quote(n.value))
		return
	}
	keys := append([]string{}, n.order...)
	sort.Strings(keys)
	out.WriteByte('{')
	for _, k := range keys {
		out.WriteString(strconv.Quote(k))
		n.keys[k].write(out)
	}
	out.WriteByte('}')
}
