package identity_test

import (
	"regexp"
	"strings"
	"testing"

	"docledger/domain/identity"
)

func TestSetupCode(t *testing.T) {
	t.Parallel()
	key := []byte("0123456789abcdef0123456789abcdef")
	code := identity.SetupCode(key)
	if !regexp.MustCompile(`^([0-9A-HJKMNP-TV-Z]{4}-){6}[0-9A-HJKMNP-TV-Z]{2}$`).MatchString(code) {
		t.Errorf("the code is %s", code)
	}
	if code != identity.SetupCode(key) || code == identity.SetupCode([]byte("another")) {
		t.Error("the code does not follow from the key alone")
	}
	misread := strings.NewReplacer("0", "o", "1", "l").Replace(code)
	for _, same := range []string{code, strings.ToLower(code), strings.ReplaceAll(code, "-", " "), "  " + strings.ReplaceAll(code, "-", "") + "\n", misread} {
		if !identity.SameSetupCode(code, same) {
			t.Errorf("%q is refused", same)
		}
	}
	for _, other := range []string{"", code[:len(code)-1], code + "0", code[1:], identity.SetupCode(nil)} {
		if identity.SameSetupCode(code, other) {
			t.Errorf("%q is accepted", other)
		}
	}
	if identity.SameSetupCode("", "") {
		t.Error("an installation without a code accepts an empty one")
	}
}
