package clerk

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxToken = 16 << 10 // bytes; browsers do not send longer headers
	maxDepth = 8        // levels of objects and arrays within a segment
	maxID    = 255      // bytes of an id of the provider
)

// token is a parsed JWT in compact form (RFC 7515). Nothing in it is verified yet.
type token struct {
	header    object
	claims    object
	signed    string // the bytes that the signature covers
	signature []byte
}

// object is a JSON object whose names are compared exactly. encoding/json into a struct would
// accept Client_ID for client_id, and use the last of two equal names where another parser uses the
// first.
type object map[string]any

func parseToken(compact string) (token, error) {
	if len(compact) > maxToken {
		return token{}, errors.New("the token is too long")
	}
	parts := strings.Split(compact, ".")
	if len(parts) != 3 {
		return token{}, errors.New("the token is not a JWT in compact form")
	}
	var t token
	for i, into := range []*object{&t.header, &t.claims} {
		raw, err := decodeSegment(parts[i])
		if err != nil {
			return token{}, err
		}
		if *into, err = parseObject(raw); err != nil {
			return token{}, err
		}
	}
	var err error
	if t.signature, err = decodeSegment(parts[2]); err != nil {
		return token{}, err
	}
	t.signed = parts[0] + "." + parts[1]
	return t, nil
}

func decodeSegment(segment string) ([]byte, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(segment)
	if err != nil || strings.ContainsAny(segment, "\r\n") {
		return nil, errors.New("a part of the token is not base64url")
	}
	return raw, nil
}

// parseObject parses one JSON object. It refuses input that parsers interpret differently: repeated
// names, invalid UTF-8 and data after the object.
func parseObject(raw []byte) (object, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("a part of the token is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	value, err := parseValue(d, 0)
	if err != nil {
		return nil, err
	}
	o, ok := value.(object)
	if !ok {
		return nil, errors.New("a part of the token is not a JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("a part of the token has data after its object")
	}
	return o, nil
}

func parseValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("a part of the token has too many nested levels")
	}
	next, err := d.Token()
	if err != nil {
		return nil, errors.New("a part of the token is not JSON")
	}
	switch next {
	case json.Delim('{'):
		return parseMembers(d, depth)
	case json.Delim('['):
		list := []any{}
		for d.More() {
			value, err := parseValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, closing(d)
	}
	return next, nil
}

func parseMembers(d *json.Decoder, depth int) (object, error) {
	o := object{}
	for d.More() {
		name, err := d.Token()
		key, ok := name.(string)
		if err != nil || !ok {
			return nil, errors.New("a part of the token is not JSON")
		}
		if _, twice := o[key]; twice {
			return nil, errors.New("a part of the token repeats a name")
		}
		if o[key], err = parseValue(d, depth+1); err != nil {
			return nil, err
		}
	}
	return o, closing(d)
}

func closing(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return errors.New("a part of the token is not JSON")
	}
	return nil
}

func (o object) has(name string) bool {
	_, found := o[name]
	return found
}

// text returns a string, or "" if the name is absent or null. It returns an error for any other
// type.
func (o object) text(name string) (string, error) {
	switch v := o[name].(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	}
	return "", fmt.Errorf("%s is not a string", name)
}

// id returns a string that must be an id of the provider.
func (o object) id(name string) (string, error) {
	id, err := o.text(name)
	if err != nil {
		return "", err
	}
	if !validID(id) {
		return "", fmt.Errorf("%s is missing or not an id", name)
	}
	return id, nil
}

// validID reports whether an id can be used unescaped in a path of the provider's API.
func validID(id string) bool {
	if id == "" || len(id) > maxID {
		return false
	}
	for _, c := range []byte(id) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// moment returns a NumericDate (RFC 7519, 2), or the zero time if the name is absent.
func (o object) moment(name string) (time.Time, error) {
	if !o.has(name) {
		return time.Time{}, nil
	}
	number, ok := o[name].(json.Number)
	if !ok {
		return time.Time{}, fmt.Errorf("%s is not a number", name)
	}
	seconds, err := number.Float64()
	const endOf9999 = 253402300799
	if err != nil || seconds < 1 || seconds > endOf9999 {
		return time.Time{}, fmt.Errorf("%s is out of range", name)
	}
	return time.UnixMicro(int64(seconds * 1e6)).UTC(), nil
}

// words returns the words of a string or the strings of a list.
func (o object) words(name string) ([]string, error) {
	switch v := o[name].(type) {
	case nil:
		return nil, nil
	case string:
		return strings.Fields(v), nil
	case []any:
		var words []string
		for _, item := range v {
			word, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("%s is not a list of strings", name)
			}
			words = append(words, word)
		}
		return words, nil
	}
	return nil, fmt.Errorf("%s is neither a string nor a list", name)
}
