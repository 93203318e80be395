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

// TestPrivateHostsAreNotPublic writes addresses of this machine and of private networks in every
// notation that a resolver may understand.
func TestPrivateHostsAreNotPublic(t *testing.T) {
	t.Parallel()
	strict, local := httpclient.NewPublic(httpclient.PublicOptions{}), httpclient.NewPublic(httpclient.PublicOptions{Loopback: true})
	for host, want := range map[string]bool{
		"example.com": true, "example.com.": true, "1e100.net": true, "1.example.co": true, "xn--bcher-kva.example": true, "bücher.example": true,
		"local.example.com": true, "mylocal.example": true, "93.184.216.34": true, "[2606:4700::1111]": true, "0x7f.example": true,
		"localhost": false, "LOCALHOST": false, "localhost.": false, "a.localhost": false, "receiver": false, "localhost.localdomain": false,
		"127.1": false, "2130706433": false, "0x7f000001": false, "0X7F000001": false, "0177.0.0.1": false, "127.0.0.0x1": false, "0x": false,
		"127.0.0.1.": false, "１２７.0.0.1": false, "127。0。0。1": false, "127｡0｡0｡1": false, "ｌｏｃａｌｈｏｓｔ": false, "１２７．１": false,
		"a.local": false, "a.internal": false, "metadata.google.internal.": false, "router.lan": false, "nas.home.arpa": false, "home.arpa": false,
		"127.0.0.\u00AD1": false, "a.lo\u00ADcal": false, "a.internal\u200B": false, "b\u00ADücher.example": true,
	} {
		if err := strict.CheckURL("https://" + host + ":4443/"); (err == nil) != want || err != nil && !errors.Is(err, httpclient.ErrAddressNotAllowed) {
			t.Errorf("%s: %v", host, err)
		}
	}
	if err := local.CheckURL("https://localhost/"); err != nil {
		t.Errorf("with loopback: %v", err)
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
	if _, err := strict.Dial(context.Background(), strings.TrimPrefix(address, "https://")); !errors.Is(err, httpclient.ErrAddressNotAllowed) {
		t.Errorf("the connection is not refused: %v", err)
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
