package edge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"docledger/domain/fault"
)

// maxDepth is how deep a JSON body may nest; ours need five.
const maxDepth = 64

// decodeJSON reads a body that is exactly one JSON value. Beyond what
// encoding/json refuses it refuses bytes after the value, keys that stand twice
// in an object (of which a parser silently picks one), invalid UTF-8, the NUL
// character, and nesting deeper than maxDepth. The fields say what is wrong and
// where; the value is nil then.
func decodeJSON(data []byte) (any, []fault.Field) {
	if !utf8.Valid(data) {
		return nil, bodyField("the body must be valid UTF-8")
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, new(json.RawMessage)); errors.As(err, &syntax) {
		return nil, bodyField(fmt.Sprintf("the body is not one JSON value: error at byte %d", syntax.Offset))
	}
	r := &jsonReader{decoder: json.NewDecoder(bytes.NewReader(data))}
	r.decoder.UseNumber()
	value, err := r.value("", 1)
	switch {
	case len(r.fields) > 0:
		return nil, r.fields
	case errors.Is(err, errTooDeep):
		return nil, bodyField(fmt.Sprintf("the body nests deeper than %d levels", maxDepth))
	case err != nil:
		return nil, bodyField("the body is not one JSON value")
	}
	return value, nil
}

func bodyField(reason string) []fault.Field {
	return []fault.Field{{Field: "", Reason: reason}}
}

var errTooDeep = errors.New("nested too deep")

type jsonReader struct {
	decoder *json.Decoder
	fields  []fault.Field
}

func (r *jsonReader) refuse(path, reason string) {
	r.fields = append(r.fields, fault.Field{Field: path, Reason: reason})
}

func (r *jsonReader) value(path string, depth int) (any, error) {
	token, err := r.decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		if depth > maxDepth {
			return nil, errTooDeep
		}
		if token == '{' {
			return r.object(path, depth)
		}
		return r.array(path, depth)
	case string:
		if strings.ContainsRune(token, 0) {
			r.refuse(path, "must not contain the NUL character")
		}
		return token, nil
	default:
		return token, nil
	}
}

func (r *jsonReader) object(path string, depth int) (any, error) {
	object := map[string]any{}
	for r.decoder.More() {
		token, err := r.decoder.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		at := join(path, clean(key))
		if _, twice := object[key]; twice {
			r.refuse(at, "stands twice in the same object")
		}
		if object[key], err = r.value(at, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := r.decoder.Token()
	return object, err
}

func (r *jsonReader) array(path string, depth int) (any, error) {
	array := []any{}
	for r.decoder.More() {
		item, err := r.value(path+"["+strconv.Itoa(len(array))+"]", depth+1)
		if err != nil {
			return nil, err
		}
		array = append(array, item)
	}
	_, err := r.decoder.Token()
	return array, err
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
