package pdf

// The objects of ISO 32000-2, 7.3. null is nil; booleans and numbers are bool,
// int64 and float64.
type (
	object any
	name   string
	text   []byte // a string object, decrypted
	array  []object
	dict   map[name]object
	ref    struct {
		num uint32
		gen uint16
	}
	// stream is a dictionary with raw bytes: filtered and, in an encrypted document,
	// encrypted.
	stream struct {
		dict dict
		raw  []byte
		id   ref
	}
)

// dictOf returns the dictionary of a dictionary or stream, or nil.
func dictOf(o object) dict {
	switch v := o.(type) {
	case dict:
		return v
	case *stream:
		return v.dict
	}
	return nil
}

// intOf returns an integer, which may also be written with a point.
func intOf(o object) (int64, bool) {
	switch v := o.(type) {
	case int64:
		return v, true
	case float64:
		return int64(v), v >= -1<<53 && v <= 1<<53
	}
	return 0, false
}
