package docs

// group is a part of the navigation: its heading and the paths of its pages in
// the project.
type group struct {
	title string
	files []string
}

// errorsFile is the path of the page of errors. It is made from errors.yaml.
const errorsFile = "docs/guides/errors.md"

// contents lists the pages of /docs in the order of the navigation. A test
// fails for a guide that it does not list.
var contents = []group{
	{"Start", []string{
		"docs/guides/README.md", "docs/guides/quick-start.md", "docs/walkthrough.md", "docs/web-application.md",
	}},
	{"Use the API", []string{
		"docs/guides/authentication.md", "docs/guides/uploads.md", "docs/intake.md", "docs/guides/invoice-data.md", "docs/guides/review.md", "docs/guides/sync.md",
		"docs/webhooks.md", "docs/guides/incoming-webhooks.md",
		"docs/guides/idempotency.md", "docs/guides/pagination.md", "docs/guides/error-handling.md", errorsFile,
		"docs/guides/rate-limits.md", "docs/guides/testing.md", "docs/guides/versioning.md", "docs/api.md",
	}},
	{"Clients and assistants", []string{
		"gen/typescript/README.md", "client/python/README.md", "docs/assistants.md", "docs/tool-server.md",
	}},
	{"Connect providers", []string{
		"docs/connecting/README.md", "docs/connecting/xero.md", "docs/connecting/quickbooks.md", "docs/connecting/msgraph.md",
		"docs/connecting/gdrive.md", "docs/connecting/clerk.md", "docs/connecting/stripe.md",
	}},
	{"Self-hosting", []string{
		"docs/deployment.md", "docs/configuration.md", "docs/command-line.md", "docs/runbook.md", "docs/security.md", "docs/benchmarks.md",
	}},
	{"Releases", []string{"CHANGELOG.md"}},
}

// addresses are the addresses of pages that do not follow from their paths.
var addresses = map[string]string{
	"docs/guides/README.md":     "/docs",
	"gen/typescript/README.md":  "/docs/typescript",
	"client/python/README.md":   "/docs/python",
	"CHANGELOG.md":              "/docs/changelog",
	"docs/connecting/README.md": "/docs/connecting",
}
