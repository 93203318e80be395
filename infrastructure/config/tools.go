package config

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// Tools configures how assistants reach the service.
type Tools struct {
	BackendURL   string   // origin of the API; "" for the API in this process
	Server       string   // the advertised authorization server: auto, facade or direct
	RedirectURIs []string // redirect URIs that clients may register; empty: the default of the environment
	Origins      []string // additional origins of pages that may call tools
	Hosts        []string // additional host names of the tool server besides the host of BASE_URL
}

const defaultListen = "127.0.0.1:8080"

// The roles of a process.
const (
	RoleAPI    = "api"
	RoleWorker = "worker"
	RoleTools  = "tools"
)

// LoadFor is Load for a process with certain roles. A process that serves only tools
// has neither a database nor secrets of third parties.
func LoadFor(env Environ, roles []string, providers ...ProviderSpec) (Config, error) {
	r := &reader{env: env, specs: providers, toolsAlone: !slices.Contains(roles, RoleAPI) && !slices.Contains(roles, RoleWorker)}
	c := r.load()
	if slices.Contains(roles, RoleTools) {
		if c.Tools.BackendURL == "" && !slices.Contains(roles, RoleAPI) {
			r.problem("BACKEND_URL", "is required where the role tools runs without the role api")
		}
	}
	if len(r.problems) > 0 {
		return Config{}, r.problems
	}
	return c, nil
}

func (r *reader) tools() Tools {
	return Tools{
		BackendURL: r.origin("BACKEND_URL"), Server: r.oneOf("MCP_AUTHORIZATION_SERVER", "auto", "auto", "facade", "direct"),
		RedirectURIs: r.uris("MCP_REDIRECT_URIS"), Origins: r.pages("MCP_ORIGINS"), Hosts: r.hosts("MCP_HOSTS"),
	}
}

// uris reads absolute URIs of any scheme, because programs may register private
// schemes.
func (r *reader) uris(name string) []string {
	out := r.list(name)
	for i, uri := range out {
		if u, err := url.Parse(uri); err != nil || u.Scheme == "" || u.Host == "" && u.Path == "" || strings.Contains(uri, "#") {
			r.problem(name, "entry %d is not a URI such as https://app.example.com/callback", i+1)
		}
	}
	return out
}

// hosts reads host names with or without a port.
func (r *reader) hosts(name string) []string {
	out := r.list(name)
	for i, host := range out {
		if u, err := url.Parse("http://" + host); err != nil || u.Host != host || u.Hostname() == "" {
			r.problem(name, "entry %d is not a host name such as tools.example.com", i+1)
		}
	}
	return out
}

// origin reads a URL without a path.
func (r *reader) origin(name string) string {
	v := r.url(name, "")
	if u, err := url.Parse(v); err == nil && u.Host != "" && u.Path != "" {
		r.problem(name, "must be an origin such as https://api.example.com, without path")
	}
	return v
}

// pages reads origins, or * for all.
func (r *reader) pages(name string) []string {
	if v, ok := r.env(name); ok && v == "*" {
		return []string{r.text(name, "")}
	}
	return r.origins(name, "")
}

// Listening lists the addresses where a process with this environment reports its
// health.
func Listening(env Environ) []string {
	r := &reader{env: env}
	addresses := []string{r.listen("LISTEN", defaultListen)}
	if at := r.listenIf("HEALTH_LISTEN"); at != "" && at != addresses[0] {
		addresses = append(addresses, at)
	}
	return addresses
}

// CompileCache returns the folder for compiled PDF code. It equals CompileCacheDir of
// a complete configuration.
func CompileCache(env Environ) string {
	return (&reader{env: env}).text("COMPILE_CACHE_DIR", defaultCacheDir())
}

// LocalURL returns the URL at which a local process reaches the listener on address.
func LocalURL(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}
