package edge

import (
	"net/http"

	"docledger/domain/identity"

	"github.com/gin-gonic/gin"
)

// Transfer is the direction in which a route outside the specification moves files. Its handler
// identifies the caller before it reads the body, and calls ActAs.
type Transfer int

// The directions. TransferIn gives the request the size and time of an upload, except GET.
// TransferOut gives the response the time of a stream (see LongResponse).
const (
	TransferIn Transfer = iota + 1
	TransferOut
)

func (e *edge) transferOf(c *gin.Context, s *state) Transfer {
	transfer := e.Transfers[c.FullPath()]
	if s.operation != nil || transfer == TransferIn && c.Request.Method == http.MethodGet {
		return 0
	}
	return transfer
}

// ActAs sets the caller of a request on a route that identifies the caller itself.
func ActAs(c *gin.Context, a identity.Actor) { stateOf(c).actor = &a }

// Fault returns the message and status that WriteError would send, for pages. It logs the error as
// WriteError does.
func Fault(c *gin.Context, err error) (message string, status int) {
	s := stateOf(c)
	f := faultOf(c, s, err)
	logFault(c, s, f, err)
	status, known := statuses[f.Kind]
	if !known {
		status = http.StatusInternalServerError
	}
	return f.Message, status
}
