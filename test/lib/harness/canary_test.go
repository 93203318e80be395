package harness

import "testing"

func TestCanaryFindsLeaks(t *testing.T) {
	t.Parallel()
	for line, leaks := range map[string]bool{
		`{"msg":"request","status":200}`:                                           false,
		`{"msg":"token eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJl"}`:    true,
		`{"authorization":"Bearer 0123456789abcdef0123"}`:                          true,
		`{"body":"{\"object\":\"event\",\"type\":\"customer.created\"}"}`:          true,
		`{"password":"` + Password + `"}`:                                          true,
		`{"msg":"with secret-of-a-variable"}`:                                      true,
		`{"msg":"the bearer of a token","issuer":"https://clerk.example.com/eyJ"}`: false,
	} {
		c := newCanary(t, nil, map[string]string{"SOME_SECRET": "secret-of-a-variable", "BASE_URL": "https://clerk.example.com"})
		if _, err := c.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		if (len(c.found) > 0) != leaks {
			t.Errorf("%s: found %v", line, c.found)
		}
	}
}
