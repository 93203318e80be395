package secret_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"docledger/domain/secret"
)

func TestTextIsRedacted(t *testing.T) {
	t.Parallel()
	s := secret.New("canary")
	holder := struct{ Token secret.Text }{s}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "token", s, "holder", holder)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "token", s, "holder", holder)
	asJSON, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(s, holder), fmt.Sprintf("%v %+v %#v %s %q", s, holder, holder, s, s), log.String(), string(asJSON)} {
		if strings.Contains(text, "canary") {
			t.Errorf("%s contains the secret", text)
		}
	}
	if s.Reveal() != "canary" || s.Empty() || !secret.New("").Empty() || s != secret.New("canary") {
		t.Error("the secret has a different value")
	}
}
