package identity

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"strings"
	"unicode"
)

const (
	setupCodeBytes = 16 // 128 bits
	setupCodeGroup = 4  // characters between two separators
)

// setupCodeText has no letters that are read as digits.
var setupCodeText = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// SetupCode returns the setup code of the installation with a signing key. All processes
// of an installation have the same key and therefore the same code, also after a
// restart. The code does not reveal the key.
func SetupCode(signingKey []byte) string {
	mac := hmac.New(sha256.New, signingKey)
	mac.Write([]byte("docledger setup code"))
	text := setupCodeText.EncodeToString(mac.Sum(nil)[:setupCodeBytes])
	var groups []string
	for len(text) > setupCodeGroup {
		groups, text = append(groups, text[:setupCodeGroup]), text[setupCodeGroup:]
	}
	return strings.Join(append(groups, text), "-")
}

// SameSetupCode reports whether a person entered the code. It ignores case and
// separators, and reads O, I and L as the digits. Its time does not depend on where the
// texts differ.
func SameSetupCode(code, entered string) bool {
	want, got := sha256.Sum256([]byte(plainSetupCode(code))), sha256.Sum256([]byte(plainSetupCode(entered)))
	return code != "" && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

func plainSetupCode(text string) string {
	return strings.Map(func(r rune) rune {
		switch r = unicode.ToUpper(r); r {
		case 'O':
			return '0'
		case 'I', 'L':
			return '1'
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// FirstAdmin describes the first administrator of an installation.
type FirstAdmin struct {
	OrganizationName string
	Name             string
	Email            string
	Password         string
}
