package httpclient_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"docledger/infrastructure/httpclient"
)

func TestIsPublic(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"93.184.216.34": true, "1.1.1.1": true, "2606:4700::1111": true, "172.32.0.1": true, "100.128.0.1": true,
		"127.0.0.1": false, "127.9.9.9": false, "10.1.2.3": false, "172.16.0.1": false, "172.31.255.255": false, "192.168.1.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "255.255.255.255": false, "224.0.0.1": false, "198.18.0.1": false,
		"::1": false, "::": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false, "fd00:ec2::254": false, "ff02::1": false,
		"::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::127.0.0.1": false, "64:ff9b::a9fe:a9fe": false, "2002:7f00:1::": false,
		"2001:0:1::": false, "2001:db8::1": false, "::ffff:1.1.1.1": true,
	} {
		if got := httpclient.IsPublic(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: public is %v, want %v", address, got, want)
		}
	}
	if httpclient.IsPublic(netip.Addr{}) {
		t.Error("no address is public")
	}
}

func TestPublicURLs(t *testing.T) {
	t.Parallel()
	strict, local := httpclient.NewPublic(httpclient.PublicOptions{}), httpclient.NewPublic(httpclient.PublicOptions{Loopback: true})
	for address, want := range map[string][2]bool{
		"https://example.com/hook?x=1": {true, true}, "https://example.com:8443/": {true, true},
		"http://example.com/": {false, false}, "https://127.0.0.1/": {false, true}, "http://127.0.0.1:9/": {false, true}, "http://localhost:9/": {false, true},
		"https://10.0.0.1/": {false, false}, "https://[::1]/": {false, true}, "https://[fd00::1]/": {false, false}, "https://169.254.169.254/": {false, false},
		"https://user:pass@example.com/": {false, false}, "https://example.com/#a": {false, false}, "https://": {false, false}, "https:opaque": {false, false},
		"ftp://example.com/": {false, false}, "//example.com/": {false, false}, "": {false, false}, "https://exa mple.com/": {false, false},
	} {
		for i, c := range []*httpclient.PublicClient{strict, local} {
			if err := c.CheckURL(address); (err == nil) != want[i] {
				t.Errorf("%q (loopback %v): %v", address, i == 1, err)
			}
		}
	}
}

// TestNamesCannotLeadInside connects by a name of this machine. The refusal happens
// when the connection is made, not when the address is checked.
func TestNamesCannotLeadInside(t *testing.T) {
	t.Parallel()
	called := false
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	defer server.Close()
	address := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	tls := server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	tls.ServerName = "example.com" // of the certificate
	strict := httpclient.NewPublic(httpclient.PublicOptions{TLS: tls})
	if err := strict.CheckURL(address); err != nil {
		t.Fatalf("the address is refused before the connection: %v", err)
	}
	if _, err := strict.Post(context.Background(), address, http.Header{}, nil); !errors.Is(err, httpclient.ErrAddressNotAllowed) || called {
		t.Errorf("the request reached the machine: %v", err)
	}
	local := httpclient.NewPublic(httpclient.PublicOptions{TLS: tls, Loopback: true})
	if status, err := local.Post(context.Background(), address, http.Header{}, nil); status != http.StatusOK || err != nil || !called {
		t.Errorf("with loopback: %d, %v", status, err)
	}
}

func TestPublicClientFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	followed := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		followed = followed || r.URL.Path == "/next"
		http.Redirect(w, r, "/next", http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	c := httpclient.NewPublic(httpclient.PublicOptions{Loopback: true})
	if status, err := c.Post(context.Background(), server.URL, http.Header{}, []byte("{}")); status != http.StatusTemporaryRedirect || err != nil || followed {
		t.Errorf("status %d, %v, followed %v", status, err, followed)
	}
}
