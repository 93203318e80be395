package deploy_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"docledger/infrastructure/config"

	"go.yaml.in/yaml/v3"
)

const base = root + "/deploy/kubernetes/base"

type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Template struct {
			Spec struct {
				SecurityContext struct {
					RunAsNonRoot bool `yaml:"runAsNonRoot"`
				} `yaml:"securityContext"`
				Containers []container
			}
		}
	}
}

type container struct {
	Args            []string
	ReadinessProbe  *probe `yaml:"readinessProbe"`
	LivenessProbe   *probe `yaml:"livenessProbe"`
	SecurityContext struct {
		ReadOnlyRootFilesystem   bool  `yaml:"readOnlyRootFilesystem"`
		AllowPrivilegeEscalation *bool `yaml:"allowPrivilegeEscalation"`
	} `yaml:"securityContext"`
}

type probe struct {
	HTTPGet struct{ Path string } `yaml:"httpGet"`
}

func manifests(t *testing.T) []manifest {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(base, "kustomization.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var kustomization struct{ Resources []string }
	if err := yaml.Unmarshal(text, &kustomization); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(base, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(kustomization.Resources)+1 {
		t.Errorf("the kustomization names %d of %d files", len(kustomization.Resources), len(files)-1)
	}
	var all []manifest
	for _, name := range kustomization.Resources {
		text, err := os.ReadFile(filepath.Join(base, name))
		if err != nil {
			t.Fatal(err)
		}
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		for {
			var m manifest
			err := decoder.Decode(&m)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all = append(all, m)
		}
	}
	return all
}

// TestManifestsStartTheService loads the configuration of each role with the
// variables of the manifests and the secrets that their comment names.
func TestManifestsStartTheService(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		"DATABASE_URL": "postgres://docledger:p@postgres/docledger", "BLOB_ACCESS_KEY": "docledger",
		"JWT_SIGNING_KEYS": "c2hhcmVkc2hhcmVkc2hhcmVkc2hhcmVkc2hhcmVkISE=", "TOKEN_KEYS": "c2VhbGVkc2VhbGVkc2VhbGVkc2VhbGVkc2VhbGVkISE=",
		"BLOB_SECRET_KEY": "c2VjcmV0LW9mLXRoZS1vYmplY3Qtc3RvcmUtb25seSE=",
	}
	roles := map[string]bool{}
	for _, m := range manifests(t) {
		maps.Copy(values, m.Data)
	}
	for _, m := range manifests(t) {
		for _, c := range m.Spec.Template.Spec.Containers {
			if !m.Spec.Template.Spec.SecurityContext.RunAsNonRoot || !c.SecurityContext.ReadOnlyRootFilesystem ||
				c.SecurityContext.AllowPrivilegeEscalation == nil || *c.SecurityContext.AllowPrivilegeEscalation {
				t.Errorf("%s can gain rights or write to its root", m.Metadata.Name)
			}
			if m.Kind != "Deployment" {
				continue
			}
			if c.ReadinessProbe == nil || c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.LivenessProbe == nil || c.LivenessProbe.HTTPGet.Path != "/healthz" {
				t.Errorf("%s lacks a probe", m.Metadata.Name)
			}
			at := slices.Index(c.Args, "--role")
			if at < 0 {
				t.Fatalf("%s has no role", m.Metadata.Name)
			}
			role := c.Args[at+1]
			roles[role] = true
			env := maps.Clone(values)
			if role == config.RoleTools {
				env["IDENTITY"], env["IDENTITY_PUBLISHABLE_KEY"], env["OAUTH_CLIENT_ID"] = "clerk", "pk_test_aWRwLmV4YW1wbGUuY29tJA", "client_1"
			}
			if _, err := config.LoadFor(lookup(env), []string{role}); err != nil {
				t.Errorf("%s: %v", m.Metadata.Name, err)
			}
		}
	}
	if len(roles) != 3 {
		t.Errorf("the manifests start the roles %v", slices.Sorted(maps.Keys(roles)))
	}
	for _, m := range manifests(t) {
		for name := range m.Data {
			if strings.HasSuffix(name, "KEY") || strings.HasSuffix(name, "KEYS") || strings.Contains(name, "SECRET") {
				t.Errorf("%s is a secret in a ConfigMap", name)
			}
		}
	}
}
