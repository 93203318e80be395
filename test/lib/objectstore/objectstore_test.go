package objectstore_test

import (
	"net/http"
	"testing"

	"docledger/test/lib/objectstore"
)

func TestDoorShutsAndOpens(t *testing.T) {
	t.Parallel()
	in := objectstore.New(t)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	reached := func() bool {
		response, err := client.Get(in.URL + "/health")
		if err != nil {
			return false
		}
		return response.Body.Close() == nil && response.StatusCode == http.StatusOK
	}
	for _, shut := range []bool{false, true, false} {
		if shut {
			in.Shut()
		} else {
			in.Reopen()
		}
		if reached() == shut {
			t.Errorf("shut: %t, reached: %t", shut, !shut)
		}
	}
}

func TestNamedBinaryMustBeOne(t *testing.T) {
	t.Setenv(objectstore.EnvBin, t.TempDir())
	if _, err := objectstore.Provide(t.Context(), nil); err == nil {
		t.Error("a folder was accepted as the server")
	}
}
