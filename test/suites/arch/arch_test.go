// Package arch verifies the import rules between the rooms of the code
// (docs/architecture.md). It reads the packages from the go command.
package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "docledger"

type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	Deps       []string
}

func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,GoFiles,Imports,Deps"}, args...)...)
	cmd.Dir = "../../.."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return pkgs
		}
		if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// inbound adapters call use cases. All other adapters only implement ports of
// the domain.
var inbound = []string{"adapter/httpapi", "adapter/webhook", "adapter/queue", "adapter/authserver"}

// outbound adapters call other systems. They use the HTTP client. Connectors
// also use the package that all connectors share.
var outbound = []string{"adapter/webhookout", "adapter/accounting", "adapter/docstore", "adapter/connector", "adapter/identity", "adapter/payment"}

// thirdParty lists libraries that only some rooms may import.
var thirdParty = map[string][]string{
	"gorm.io/":                        {"adapter/store", "infrastructure/database"},
	"github.com/libtnb/sqlite":        {"infrastructure/database"},
	"github.com/jackc/pgx":            {"adapter/store", "adapter/queue", "infrastructure/database", "infrastructure/config", "test"}, // config holds URLs against it
	"github.com/lib/pq":               {"infrastructure/database"},
	"github.com/riverqueue/":          {"adapter/queue"},
	"github.com/gin-gonic/gin":        {"adapter/httpapi", "adapter/webhook", "adapter/toolserver", "adapter/webapp", "adapter/authserver", "gen"},
	"github.com/stripe/stripe-go":     {"adapter/payment/stripe"},
	"golang.org/x/oauth2":             {"infrastructure/httpclient"},
	"github.com/getkin/kin-openapi":   {"adapter/httpapi", "adapter/toolserver", "openapi", "gen", "test"},
	"github.com/klippa-app/go-pdfium": {"adapter/extract/worker"},
	"github.com/ebitengine/purego":    {"adapter/extract/ocr/onnx"},
	"github.com/yuin/goldmark":        {"adapter/httpapi"},
	"github.com/emersion/go-message":  {"adapter/extract/container"},
	"github.com/emersion/go-smtp":     {"adapter/email", "test"},
	"github.com/emersion/go-sasl":     {"adapter/email"},
	"github.com/emersion/go-imap/v2":  {"adapter/email", "test"},
	"github.com/emersion/go-msgauth":  {"adapter/email", "test"},
	"blitiri.com.ar/":                 {"adapter/email"},
	module:                            {"adapter/httpapi", "test"}, // the pages of the documentation, at the root
	"golang.org/x/image":              {"adapter/extract/ocr/raster", "adapter/extract/readable", "test"},
	"codeberg.org/go-pdf/":            {"adapter/extract/readable", "adapter/extract/worker"},

	"github.com/modelcontextprotocol/": {"adapter/toolserver", "test"},
	"github.com/tiktoken-go/":          {"adapter/toolserver"},
	"github.com/prometheus/":           {"infrastructure/telemetry", "test"},
	"go.opentelemetry.io/":             {"infrastructure/telemetry", "test"},
}

// room returns the first two path elements of an adapter or use case, or else
// the first one.
func room(path string) string {
	parts := strings.Split(path, "/")
	if (parts[0] == "adapter" || parts[0] == "usecase") && len(parts) > 1 {
		if slices.Contains([]string{"payment", "identity", "accounting", "docstore", "sim"}, parts[1]) && len(parts) > 2 {
			return strings.Join(parts[:3], "/")
		}
		return strings.Join(parts[:2], "/")
	}
	return parts[0]
}

func within(path string, rooms ...string) bool {
	return slices.ContainsFunc(rooms, func(r string) bool {
		return path == r || strings.HasPrefix(path, r+"/") || strings.HasSuffix(r, "/") && strings.HasPrefix(path, r)
	})
}

// mayImport defines which room may import which.
func mayImport(from, to string) bool {
	a, b := room(from), room(to)
	if a == b {
		return true
	}
	switch {
	case strings.HasPrefix(from, "cmd/"), strings.HasPrefix(from, "test/"):
		return true
	case a == "infrastructure":
		return within(to, "domain/secret") // a value type without a domain word
	case a == "domain":
		return false
	case a == "migrations":
		return b == "infrastructure" || b == "adapter/queue" // the tables of the queue are part of the schema
	case a == "openapi":
		return false
	case a == "gen":
		return within(from, "gen/mock") && b == "domain"
	case strings.HasPrefix(from, "usecase"):
		return b == "domain" || to == "usecase"
	case within(from, "adapter/sim"):
		return within(to, "adapter/sim/kit")
	case within(from, "adapter/identity") && to == "adapter/identity/jwks":
		return true // the keys of every issuer are loaded alike
	case within(from, "adapter/toolserver"):
		return b == "openapi" || b == "gen" || within(to, "domain/fault", "domain/oauthclient", "domain/character")
	case within(from, outbound...) && (b == "infrastructure" || b == "adapter/connector"):
		return b == "infrastructure" || !within(from, "adapter/identity", "adapter/payment")
	case strings.HasPrefix(from, "adapter/"):
		if b == "domain" || b == "gen" || to == "usecase" {
			return true
		}
		if strings.HasPrefix(to, "usecase/") || b == "openapi" {
			return within(from, inbound...)
		}
	}
	return false
}

func TestImportDirections(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./...") {
		from := strings.TrimPrefix(p.ImportPath, module+"/")
		for _, imp := range p.Imports {
			if to, ours := strings.CutPrefix(imp, module+"/"); ours {
				if !mayImport(from, to) {
					t.Errorf("%s must not import %s", from, to)
				}
				continue
			}
			for prefix, rooms := range thirdParty {
				if strings.HasPrefix(imp, prefix) && !within(from, rooms...) {
					t.Errorf("%s must not import %s: only %v may", from, imp, rooms)
				}
			}
		}
	}
}

// TestOneHTTPClient verifies that only the HTTP client creates an http.Client.
// The exceptions are the library of the payment processor and the health check
// of this machine.
func TestOneHTTPClient(t *testing.T) {
	t.Parallel()
	made := regexp.MustCompile(`http\.Client\{|http\.DefaultClient`)
	for _, p := range list(t, "./adapter/...", "./infrastructure/...") {
		path := strings.TrimPrefix(p.ImportPath, module+"/")
		if within(path, "infrastructure/httpclient", "adapter/sim", "adapter/payment/stripe", "adapter/toolserver") {
			continue
		}
		for _, file := range p.GoFiles {
			src, err := os.ReadFile(p.Dir + "/" + file)
			if err != nil {
				t.Fatal(err)
			}
			if made.Match(src) {
				t.Errorf("%s/%s makes its own http.Client; use infrastructure/httpclient", path, file)
			}
		}
	}
}

func TestDomainAndUseCasesNeedOnlyTheStandardLibrary(t *testing.T) {
	t.Parallel()
	allowed := []string{"github.com/google/uuid", "github.com/shopspring/decimal"}
	for _, p := range list(t, "./domain/...", "./usecase/...") {
		for _, imp := range p.Imports {
			first, _, _ := strings.Cut(imp, "/")
			if strings.Contains(first, ".") && !slices.Contains(allowed, imp) {
				t.Errorf("%s must not import %s", p.ImportPath, imp)
			}
		}
	}
}

var tags = regexp.MustCompile("`[^`]*\\b(json|gorm|xml|yaml|db):\"")

func TestDomainHasNoStructTags(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./domain/...") {
		for _, file := range p.GoFiles {
			src, err := os.ReadFile(p.Dir + "/" + file)
			if err != nil {
				t.Fatal(err)
			}
			if m := tags.Find(src); m != nil {
				t.Errorf("%s/%s: struct tag %s… belongs into an adapter", p.ImportPath, file, m)
			}
		}
	}
}

func TestOnlyConfigReadsTheEnvironment(t *testing.T) {
	t.Parallel()
	env := regexp.MustCompile(`\bos\.(Getenv|LookupEnv|Environ)\(`)
	for _, p := range list(t, "./domain/...", "./usecase/...", "./adapter/...", "./infrastructure/...", "./cmd/...") {
		path := strings.TrimPrefix(p.ImportPath, module+"/")
		// A child process that reads documents gets its role from its parent. Test suites start
		// their own children in the same way.
		if within(path, "infrastructure/config", "adapter/extract/worker") || strings.HasSuffix(path, "test") {
			continue
		}
		for _, file := range p.GoFiles {
			src, err := os.ReadFile(p.Dir + "/" + file)
			if err != nil {
				t.Fatal(err)
			}
			if env.Match(src) {
				t.Errorf("%s/%s reads the environment; only infrastructure/config may", path, file)
			}
		}
	}
}

func TestProductHoldsNoSimulator(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./cmd/docledger") {
		for _, dep := range p.Deps {
			if strings.HasPrefix(dep, module+"/adapter/sim") || strings.HasPrefix(dep, module+"/test") {
				t.Errorf("cmd/docledger links %s", dep)
			}
		}
	}
}

// TestToolServerHasNoRights verifies that the tool server imports nothing that
// would give it more permissions than its callers.
func TestToolServerHasNoRights(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./adapter/toolserver/...") {
		for _, dep := range p.Deps {
			for _, no := range []string{"gorm.io/", "github.com/stripe/", module + "/usecase", module + "/adapter/store"} {
				if strings.HasPrefix(dep, no) {
					t.Errorf("%s links %s", p.ImportPath, dep)
				}
			}
		}
	}
}

func TestFilesStayReadable(t *testing.T) {
	t.Parallel()
	const most = 500
	for _, p := range list(t, "./...") {
		if within(strings.TrimPrefix(p.ImportPath, module+"/"), "gen") {
			continue
		}
		for _, file := range p.GoFiles {
			src, err := os.ReadFile(p.Dir + "/" + file)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(src, []byte{'\n'}); n > most {
				t.Errorf("%s/%s has %d lines, more than %d", p.ImportPath, file, n, most)
			}
		}
	}
}

// TestCardPackagesAreRequired lists the packages of the design card that go.mod
// lacks.
func TestCardPackagesAreRequired(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var direct []string
	for line := range strings.Lines(string(mod)) {
		if !strings.Contains(line, "// indirect") {
			direct = append(direct, strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))...)
		}
	}
	for _, want := range []string{
		"github.com/oapi-codegen/oapi-codegen/v2", "github.com/getkin/kin-openapi", "github.com/gin-gonic/gin",
		"gorm.io/gorm", "gorm.io/driver/postgres", "go.uber.org/mock",
	} {
		if !slices.Contains(direct, want) {
			t.Errorf("go.mod does not require %s directly", want)
		}
	}
}

// TestServiceLoadsNoSharedLibrary keeps the service one static file: only the
// program for OCR links the package that loads libraries.
func TestServiceLoadsNoSharedLibrary(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"./cmd/docledger", "./cmd/sandbox"} {
		for _, p := range list(t, "-deps", program) {
			if strings.HasPrefix(p.ImportPath, "github.com/ebitengine/purego") {
				t.Errorf("%s links %s", program, p.ImportPath)
			}
		}
	}
}

// TestProductRendersNoReflectedTemplates keeps the binary small. The packages of
// templates call methods by names that they compute at run time. The linker then
// keeps every exported method of every type, which are 20 MB. Pages are made of
// functions instead (maragu.dev/gomponents).
func TestProductRendersNoReflectedTemplates(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "-deps", "./cmd/docledger") {
		if !strings.HasPrefix(p.ImportPath, module) {
			continue
		}
		for _, imp := range p.Imports {
			if imp == "html/template" || imp == "text/template" {
				t.Errorf("%s imports %s; use maragu.dev/gomponents", p.ImportPath, imp)
			}
		}
	}
}
