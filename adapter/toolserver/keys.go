package toolserver

import (
	"encoding/json"
	"strings"
	"unicode"
)

// The folded keys of a message under which a client sends the arguments of a tool.
var (
	keyParams    = foldCase("params")
	keyArguments = foldCase("arguments")
)

// foldCase maps each character to the first of those that differ from it only in case, as
// encoding/json compares keys: U+017F is an s.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		first := r
		for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
			first = min(first, c)
		}
		return first
	}, s)
}

// level is one object or array of a message.
type level struct {
	object  bool
	wantKey bool // the next string is a key
	key     string
	keys    map[string]struct{}
	ignored bool // the arguments of a tool; their keys are checked with their schema
	folded  bool // keys that differ only in case are equal
}

// repeatsKey reports whether a message has a key twice in the same object. Readers differ in which
// of the two they use, so a proxy could allow another call than the one that runs. Keys of the
// message and of its params are equal if they differ only in case, because a reader may ignore it.
func repeatsKey(message []byte) bool {
	var levels []level
	objects := 0 // that are open
	for i := 0; i < len(message); i++ {
		var top *level
		if n := len(levels); n > 0 {
			top = &levels[n-1]
		}
		switch c := message[i]; c {
		case '{', '[':
			l := level{object: c == '{', wantKey: c == '{'}
			if top != nil {
				l.ignored = top.ignored || objects == 2 && top.key == keyArguments
			}
			if l.object {
				objects++
				l.folded = objects == 1 || objects == 2 && top.key == keyParams
			}
			levels = append(levels, l)
		case '}', ']':
			if top == nil {
				return false // no JSON; the message is refused later
			}
			if top.object {
				objects--
			}
			levels = levels[:len(levels)-1]
		case ',':
			if top != nil {
				top.wantKey = top.object
			}
		case '"':
			end := i + 1
			for end < len(message) && message[end] != '"' {
				if message[end] == '\\' {
					end++
				}
				end++
			}
			if top != nil && top.wantKey {
				top.wantKey = false
				if !top.ignored && top.repeats(message[i:min(end+1, len(message))]) {
					return true
				}
			}
			i = end
		}
	}
	return false
}

// repeats adds a quoted key.
func (l *level) repeats(quoted []byte) bool {
	var key string
	if json.Unmarshal(quoted, &key) != nil {
		return false
	}
	if l.folded {
		key = foldCase(key)
	}
	if _, twice := l.keys[key]; twice {
		return true
	}
	if l.keys == nil {
		l.keys = map[string]struct{}{}
	}
	l.keys[key], l.key = struct{}{}, key
	return false
}
