package accounting

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// shortMark precedes the checksum at the end of a shortened name, and checksumLength is its length.
const (
	shortMark      = " #"
	checksumLength = 10
)

// ShortName returns a name with at most longest characters. text is the name in the ledger's format,
// and whole the name as stated. A longer name keeps its beginning and ends with a checksum of the
// whole name, so that two names with the same beginning stay different.
func ShortName(text, whole string, longest int) string {
	if utf8.RuneCountInString(text) <= longest {
		return text
	}
	ending := shortMark + checksum(whole)
	return strings.TrimSpace(string([]rune(text)[:longest-len(ending)])) + ending
}

// IsShortName reports whether a name of the ledger is the shortened form of a whole name.
func IsShortName(name, whole string) bool {
	return len(whole) > len(name)-len(shortMark)-checksumLength && strings.HasSuffix(name, shortMark+checksum(whole))
}

// checksum does not depend on letter case and spaces, because ledgers and documents change them.
func checksum(whole string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.Join(strings.Fields(whole), " "))))
	return hex.EncodeToString(sum[:])[:checksumLength]
}
