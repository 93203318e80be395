package docs

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// delivery is a signed request and whether a receiver must accept it.
type delivery struct {
	name, secret, id, sent, signature, body string
	accepted                                bool
}

func deliveries() []delivery {
	key := []byte("0123456789abcdef0123456789abcdef")
	secret, body := "whsec_"+base64.StdEncoding.EncodeToString(key), `{"type":"invoice.approved"}`
	sign := func(sent string) string {
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "msg_1.%s.%s", sent, body)
		return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	now, old := strconv.FormatInt(time.Now().Unix(), 10), strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10)
	return []delivery{
		{"valid", secret, "msg_1", now, sign(now), body, true},
		{"one of two", secret, "msg_1", now, "v1,AAAA " + sign(now), body, true},
		{"another body", secret, "msg_1", now, sign(now), body + " ", false},
		{"another id", secret, "msg_2", now, sign(now), body, false},
		{"another secret", "whsec_" + base64.StdEncoding.EncodeToString(key[1:]), "msg_1", now, sign(now), body, false},
		{"an hour old", secret, "msg_1", old, sign(old), body, false},
		{"no signature", secret, "msg_1", now, "", body, false},
		{"no timestamp", secret, "msg_1", "", sign(""), body, false},
		{"a timestamp that is no number", secret, "msg_1", "now", sign("now"), body, false},
		{"a timestamp that is too long", secret, "msg_1", strings.Repeat("9", 5000), sign(strings.Repeat("9", 5000)), body, false},
		{"a signature in other letters", secret, "msg_1", now, "v1,\u00e4", body, false},
	}
}

// TestSignatureExamples runs the functions in Python and Go of docs/webhooks.md
// on requests that a receiver must accept or refuse. The tests of the TypeScript
// client run the one in TypeScript.
func TestSignatureExamples(t *testing.T) {
	t.Parallel()
	page := read(t, "docs/webhooks.md")
	code := func(language string) string {
		_, signature, found := strings.Cut(page, "\n## Signature\n")
		example := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(signature)
		if !found || example == nil {
			t.Fatalf("docs/webhooks.md has no example in %s", language)
		}
		return example[1]
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "verify.py")
	python := code("python") + `
import sys
secret, id, sent, signature, body = sys.argv[1:]
headers = {"webhook-id": id, "webhook-timestamp": sent, "webhook-signature": signature}
headers = {name: value for name, value in headers.items() if value}
print("true" if verify(secret, headers, body.encode()) else "false")
`
	if err := os.WriteFile(program, []byte(python), 0o600); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(dir, "main.go")
	golang := "package main\n\nimport (\n\t\"crypto/hmac\"\n\t\"crypto/sha256\"\n\t\"encoding/base64\"\n\t\"fmt\"\n\t\"net/http\"\n\t\"os\"\n\t\"slices\"\n\t\"strconv\"\n\t\"strings\"\n\t\"time\"\n)\n\n" + code("go") + `
func main() {
	h := http.Header{}
	h.Set("webhook-id", os.Args[2])
	h.Set("webhook-timestamp", os.Args[3])
	h.Set("webhook-signature", os.Args[4])
	fmt.Println(verify(os.Args[1], h, []byte(os.Args[5])))
}
`
	if err := os.WriteFile(source, []byte(golang), 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "verify")
	if out, err := exec.Command("go", "build", "-o", binary, source).CombinedOutput(); err != nil {
		t.Fatalf("the example in Go does not compile: %v\n%s", err, out)
	}
	for language, command := range map[string][]string{"Python": {"python3", program}, "Go": {binary}} {
		for _, d := range deliveries() {
			arguments := append(command[1:len(command):len(command)], d.secret, d.id, d.sent, d.signature, d.body)
			out, err := exec.Command(command[0], arguments...).CombinedOutput()
			if err != nil || string(out) != strconv.FormatBool(d.accepted)+"\n" {
				t.Errorf("%s, %s: %v\n%s", language, d.name, err, out)
			}
		}
	}
}
