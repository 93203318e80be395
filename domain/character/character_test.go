package character_test

import (
	"testing"

	"docledger/domain/character"
)

func TestInvisible(t *testing.T) {
	t.Parallel()
	for _, r := range "\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B\u180E\u180F\u200B\u200C\u200D\u202E\u2060\u2065\u3164\uFE0F\uFEFF\uFFA0\uFFF0\U0001D159\U0001D173\U000E0000\U000E0041\U000E0100\U000E0FFF" {
		if !character.Invisible(r) {
			t.Errorf("%U shows something", r)
		}
	}
	for _, r := range "a0- \n\u00A0é\u0301\u0600\u0605\u06DD\u08E2\u2800\u28FF가日😀" {
		if character.Invisible(r) {
			t.Errorf("%U shows nothing", r)
		}
	}
}
