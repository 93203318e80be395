package document

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxFilename = 255

// CleanFilename returns the name of a file without a path and without characters that cannot be
// shown, with at most 255 bytes.
func CleanFilename(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, name))
	for len(name) > maxFilename {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	if name == "" || name == "." || name == ".." {
		return "document"
	}
	return name
}
