package deploy_test

import (
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/infrastructure/config"
	"docledger/test/suites/deploy"

	"github.com/compose-spec/compose-go/v2/schema"
	"github.com/compose-spec/compose-go/v2/types"
	"go.yaml.in/yaml/v3"
)

const root = "../../.."

func examples(t *testing.T) []deploy.Example {
	t.Helper()
	all, err := deploy.Examples(root)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestExampleNeedsItsSecretsAlone: as it is, a start names what must be filled
// in; with that, it starts.
func TestExampleNeedsItsSecretsAlone(t *testing.T) {
	t.Parallel()
	env := map[string]string{}
	for _, e := range examples(t) {
		env[e.Name] = e.Value
	}
	project := load(t, map[string]string{"POSTGRES_PASSWORD": "p", "BLOB_SECRET_KEY": "s"})
	for _, role := range []string{config.RoleAPI, config.RoleWorker} {
		service := project.Services[role]
		values := maps.Clone(env)
		maps.Copy(values, resolved(service))
		for name := range map[string]bool{"JWT_SIGNING_KEYS": true, "TOKEN_KEYS": true, "BLOB_SECRET_KEY": true} {
			values[name] = ""
		}
		_, err := config.LoadFor(lookup(values), []string{role})
		var problems config.Error
		errors.As(err, &problems)
		var named []string
		for _, p := range problems {
			named = append(named, p.Variable)
		}
		slices.Sort(named)
		if !slices.Equal(named, []string{"BLOB_SECRET_KEY", "JWT_SIGNING_KEYS", "TOKEN_KEYS"}) {
			t.Errorf("%s asks for %v", role, named)
		}
		values["JWT_SIGNING_KEYS"] = "c2hhcmVkc2hhcmVkc2hhcmVkc2hhcmVkc2hhcmVkISE="
		values["TOKEN_KEYS"] = "c2VhbGVkc2VhbGVkc2VhbGVkc2VhbGVkc2VhbGVkISE="
		values["BLOB_SECRET_KEY"] = "c2VjcmV0LW9mLXRoZS1vYmplY3Qtc3RvcmUtb25seSE="
		if _, err := config.LoadFor(lookup(values), []string{role}); err != nil {
			t.Errorf("%s: %v", role, err)
		}
	}
}

func lookup(values map[string]string) config.Environ {
	return func(name string) (string, bool) { v, ok := values[name]; return v, ok }
}

func load(t *testing.T, vary map[string]string) *types.Project {
	t.Helper()
	env := map[string]string{}
	for _, e := range examples(t) {
		env[e.Name] = e.Value
	}
	maps.Copy(env, vary)
	project, err := deploy.Project(t.Context(), root, env)
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func resolved(s types.ServiceConfig) map[string]string {
	out := map[string]string{}
	for name, value := range s.Environment {
		if value != nil {
			out[name] = *value
		}
	}
	return out
}

// TestComposeFitsItsSchema validates the compose file, and checks that it is refused without its
// secrets.
func TestComposeFitsItsSchema(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(root + "/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(file); err != nil {
		t.Error(err)
	}
	file["services"].(map[string]any)["api"].(map[string]any)["comand"] = "serve"
	if err := schema.Validate(file); err == nil {
		t.Error("the schema takes a key that is none")
	}
	if _, err := deploy.Project(t.Context(), root, map[string]string{"BLOB_SECRET_KEY": "s", "BLOB_ACCESS_KEY": "a"}); err == nil || !strings.Contains(err.Error(), "POSTGRES_PASSWORD") {
		t.Errorf("without the database's password: %v", err)
	}
}

// TestComposeIsGuarded holds each container to what production asks of it.
func TestComposeIsGuarded(t *testing.T) {
	t.Parallel()
	project := load(t, map[string]string{"POSTGRES_PASSWORD": "p", "BLOB_SECRET_KEY": "s"})
	if got := slices.Sorted(maps.Keys(project.Services)); !slices.Equal(got, []string{"api", "migrate", "objectstore", "postgres", "redis", "tools", "worker"}) {
		t.Errorf("the services are %v", got)
	}
	for name, s := range project.Services {
		ours := slices.Contains([]string{"api", "worker", "tools", "migrate"}, name)
		if once := name == "migrate"; !once && (s.HealthCheck == nil || s.HealthCheck.Disable || s.Restart != "unless-stopped") {
			t.Errorf("%s has no health check or is not started again", name)
		}
		if !ours {
			if !regexp.MustCompile(`:v?\d+\.\d+`).MatchString(s.Image) {
				t.Errorf("%s is of no version: %s", name, s.Image)
			}
			continue
		}
		if !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") || s.Privileged {
			t.Errorf("%s is not guarded", name)
		}
		if name != "migrate" && (s.Command[0] != "serve" || s.Command[2] != name || s.Deploy == nil || *s.Deploy.Replicas < 2) {
			t.Errorf("%s runs %v", name, s.Command)
		}
		if grace := s.StopGracePeriod; grace == nil || time.Duration(*grace) < 45*time.Second {
			t.Errorf("%s may take %v to stop", name, grace)
		}
	}
}

// TestDockerfile holds what is written in it; its image is held to the rest.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(root + "/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	_, final, _ := strings.Cut(string(text), "\nFROM scratch\n")
	for _, want := range []string{"USER 65532:65532", `CMD ["/usr/bin/docledger", "health"]`, "COPY --from=build"} {
		if !strings.Contains(final, want) {
			t.Errorf("its last stage lacks %s", want)
		}
	}
	if strings.Contains(final, "\nRUN ") {
		t.Error("its last stage runs something, and has nothing to run it with")
	}
}
