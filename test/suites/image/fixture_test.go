//go:build image

package image_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	simclerk "docledger/adapter/sim/clerk"
	simstripe "docledger/adapter/sim/stripe"
	"docledger/test/lib/harness"
	"docledger/test/lib/objectstore"
	"docledger/test/lib/postgres"
	"docledger/test/lib/redis"
	"docledger/test/lib/tcpproxy"
	"docledger/test/suites/deploy"
	"docledger/test/suites/image"
)

const (
	waitTimeout = time.Minute
	pause       = 50 * time.Millisecond
)

// key is a key like those of `openssl rand -base64 32`.
func key(t *testing.T) string {
	t.Helper()
	b := make([]byte, 32)
	_, err := rand.Read(b)
	must(t, err)
	return base64.StdEncoding.EncodeToString(b)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// unpacked is the image of DOCLEDGER_IMAGE.
func unpacked(t *testing.T) *image.Image {
	t.Helper()
	archive := os.Getenv("DOCLEDGER_IMAGE")
	if archive == "" {
		t.Fatal("DOCLEDGER_IMAGE must be the path of the archive from test/suites/image/build.sh; run make image")
	}
	root := filepath.Join(t.TempDir(), "root")
	must(t, os.Mkdir(root, 0o755))
	im, err := image.Unpack(archive, root)
	must(t, err)
	return im
}

// world contains the servers of compose.yaml on this machine, and the environment of
// its services.
type world struct {
	t        *testing.T
	places   map[string]string // replacements of compose's addresses
	services map[string]map[string]string
	commands map[string][]string
}

// newWorld starts the servers and reads compose.yaml with a completed .env.example.
func newWorld(t *testing.T) *world {
	t.Helper()
	provider := harness.NewProvider(t, simclerk.Options{})
	processor := simstripe.New(simstripe.Options{Account: simstripe.ReadyAccount(), SecretKeys: []string{"sk_test_image"}})
	payments := httptest.NewServer(processor)
	t.Cleanup(func() {
		payments.Close()
		processor.Close()
	})
	store := objectstore.New(t)
	w := &world{t: t, services: map[string]map[string]string{}, commands: map[string][]string{}}
	api := freeAddress(t)
	w.places = map[string]string{
		"DATABASE_URL": overTCP(t, postgres.NewEmpty(t)), "REDIS_URL": overTCP(t, redis.New(t).URL), "BLOB_URL": store.URL,
		"BACKEND_URL": "http://" + api,
	}
	env := map[string]string{}
	examples, err := deploy.Examples("../../..")
	must(t, err)
	for _, e := range examples {
		env[e.Name] = e.Value
	}
	maps.Copy(env, map[string]string{
		"POSTGRES_PASSWORD": "unused", "BLOB_ACCESS_KEY": objectstore.AccessKey, "BLOB_SECRET_KEY": objectstore.SecretKey,
		"JWT_SIGNING_KEYS": key(t), "TOKEN_KEYS": key(t), "BASE_URL": "http://" + api,
		"BILLING": "stripe", "PAYMENT_SECRET_KEY": "sk_test_image", "PAYMENT_SIGNING_SECRETS": "whsec_image_0123456789", "PAYMENT_URL": payments.URL,
		"IDENTITY": "clerk", "IDENTITY_PUBLISHABLE_KEY": provider.PublishableKey(), "IDENTITY_SECRET_KEY": harness.ProviderSecretKey,
		"IDENTITY_SIGNING_SECRETS": harness.ProviderSigningSecret, "IDENTITY_URL": provider.Origin(), "OAUTH_CLIENT_ID": harness.OAuthClient,
	})
	project, err := deploy.Project(t.Context(), "../../..", env)
	must(t, err)
	for _, name := range []string{"api", "worker", "tools", "migrate"} {
		values := map[string]string{}
		for variable, value := range project.Services[name].Environment {
			if value != nil {
				values[variable] = *value
			}
		}
		for variable, place := range w.places {
			if values[variable] == "" {
				t.Errorf("compose does not set %[2]s for %[1]s", name, variable)
			}
			values[variable] = place
		}
		// All services run on one machine here, so each one needs a separate address.
		values["LISTEN"] = api
		if name != "api" {
			values["LISTEN"] = freeAddress(t)
		}
		values["HEALTH_LISTEN"] = values["LISTEN"]
		w.services[name], w.commands[name] = values, project.Services[name].Command
	}
	return w
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().String()
}

// overTCP starts a TCP proxy to a server with a socket URL.
func overTCP(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	socket := ""
	switch {
	case u.Scheme == "unix":
		socket = u.Path
	case u.Query().Get("host") != "":
		socket = filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432")
	default:
		return address
	}
	d, err := tcpproxy.Open(socket)
	must(t, err)
	t.Cleanup(func() { _ = d.Close() })
	if u.Scheme == "unix" {
		return "redis://" + d.Addr().String() + "/0"
	}
	u.Host, u.RawQuery = d.Addr().String(), "sslmode=disable"
	return u.String()
}

// until waits for a condition.
func until(t *testing.T, what string, done func() bool, state func() string) {
	t.Helper()
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for end := time.Now().Add(waitTimeout); !done(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("timeout: %s:\n%s", what, state())
		}
	}
}

// call calls the API and returns its response.
func call(t *testing.T, method, address, token, contentType string, body []byte) map[string]any {
	t.Helper()
	status, answer := try(t, method, address, token, contentType, body)
	if status != http.StatusOK {
		t.Fatalf("%s %s returns %d %v", method, address, status, answer)
	}
	return answer
}

func try(t *testing.T, method, address, token, contentType string, body []byte) (int, map[string]any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(body))
	must(t, err)
	request.Header.Set("Content-Type", contentType)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	answer := map[string]any{}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		must(t, json.Unmarshal(text, &answer))
	}
	return response.StatusCode, answer
}

// form is an upload of one file.
func form(t *testing.T, entity string, content []byte) (contentType string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	must(t, m.WriteField("entity_id", entity))
	part, err := m.CreateFormFile("file", "printed.pdf")
	must(t, err)
	_, err = part.Write(content)
	must(t, err)
	must(t, m.Close())
	return m.FormDataContentType(), b.Bytes()
}
