package quickbooks

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"docledger/adapter/sim/kit/oidc"
)

// object is a JSON object.
type object = map[string]any

// answer is a response, kept so that it can be repeated.
type answer struct {
	status int
	body   object
}

const timeLayout = "2006-01-02T15:04:05.000-07:00"

// found responds with a record.
func (s *Server) found(body object) answer {
	body["time"] = s.Kit.Clock.Now().Format(timeLayout)
	return answer{http.StatusOK, body}
}

// send writes a response in the requested format: XML unless Accept, or the parameter format,
// requests JSON.
func (a answer) send(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("intuit_tid", "1-"+strings.ReplaceAll(uuid.NewString(), "-", ""))
	if strings.Contains(r.Header.Get("Accept"), "application/json") || r.URL.Query().Get("format") == "json" {
		w.Header().Set("Content-Type", "application/json;charset=UTF-8")
		w.WriteHeader(a.status)
		_, _ = w.Write(oidc.JSON(a.body)) // a caller that disconnected needs no response
		return
	}
	var out bytes.Buffer
	out.WriteString(xml.Header)
	writeXML(&out, "IntuitResponse", a.body)
	w.Header().Set("Content-Type", "application/xml;charset=UTF-8")
	w.WriteHeader(a.status)
	_, _ = w.Write(out.Bytes()) // as above
}

// writeXML writes a value as elements with the same name.
func writeXML(out *bytes.Buffer, name string, v any) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			writeXML(out, name, one)
		}
	case object:
		out.WriteString("<" + name + ">")
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			writeXML(out, key, v[key])
		}
		out.WriteString("</" + name + ">")
	case nil:
		out.WriteString("<" + name + "/>")
	default:
		out.WriteString("<" + name + ">")
		_ = xml.EscapeText(out, fmt.Append(nil, v)) // a bytes.Buffer never fails
		out.WriteString("</" + name + ">")
	}
}

// fault is an error response of the API.
type fault struct {
	code, message, detail, element string
}

func (f *fault) body(kind string) object {
	one := object{"Message": f.message, "Detail": f.detail, "code": f.code}
	if f.element != "" {
		one["element"] = f.element
	}
	return object{"Fault": object{"Error": []any{one}, "type": kind}}
}

// refused responds with a validation fault.
func (s *Server) refused(f *fault) answer {
	body := f.body("ValidationFault")
	body["time"] = s.Kit.Clock.Now().Format(timeLayout)
	return answer{http.StatusBadRequest, body}
}

func business(format string, args ...any) *fault {
	return &fault{
		code: "6000", message: "A business validation error has occurred while processing your request",
		detail: "Business Validation Error: " + fmt.Sprintf(format, args...),
	}
}

func missingParameter(name string) *fault {
	return &fault{"2020", "Required param missing, need to supply the required value for the API",
		"Required parameter " + name + " is missing in the request", name}
}

func badReference(what, id string) *fault {
	return &fault{code: "2500", message: "Invalid Reference Id", detail: "Invalid Reference Id : " + what + " element id " + id + " not found"}
}

func notFound() *fault {
	return &fault{code: "610", message: "Object Not Found",
		detail: "Object Not Found : Something you're trying to use has been made inactive. Check the fields with accounts, customers, items, vendors or employees."}
}

func badProperty(name string) *fault {
	return &fault{"2010", "Request has invalid or unsupported property", "Property Name:" + name + " specified is unsupported or invalid", name}
}

func tooLong(name string, most int) *fault {
	return &fault{"2050", "String length is either shorter or longer than supported by specification",
		fmt.Sprintf("Max String Length:%d. Supplied length is too long for %s", most, name), name}
}

// gateway is an error response of the gateway. Its names start with lower-case letters.
func gateway(status int, number, name, detail, kind string) answer {
	return answer{status, object{
		"warnings": nil, "intuitObject": nil,
		"fault": object{
			"error": []any{object{
				"message": fmt.Sprintf("message=%s; errorCode=%06s; statusCode=%d", name, number, status),
				"detail":  detail, "code": number, "element": nil,
			}},
			"type": kind,
		},
		"report": nil, "queryResponse": nil, "batchItemResponse": []any{}, "attachableResponse": []any{},
		"syncErrorResponse": nil, "requestId": nil, "time": time.Now().UnixMilli(), "status": nil, "cdcresponse": []any{},
	}}
}

func unauthorized(detail string) answer {
	return gateway(http.StatusUnauthorized, "3200", "AuthenticationFailed", detail, "AUTHENTICATION")
}

func forbidden() answer {
	return gateway(http.StatusForbidden, "3100", "ApplicationAuthorizationFailed", "The application is not authorized for this company", "AuthorizationFault")
}

func throttled() answer {
	f := fault{"3001", "message=ThrottleExceeded; errorCode=003001; statusCode=429", "The request limit is reached. Wait a minute.", ""}
	return answer{http.StatusTooManyRequests, f.body("SERVICE")}
}

// faultBody returns the body for a status that a fault of sim/kit requests.
func faultBody(status int) []byte {
	switch status {
	case http.StatusUnauthorized:
		return oidc.JSON(unauthorized("Token revoked").body)
	case http.StatusForbidden:
		return oidc.JSON(forbidden().body)
	case http.StatusTooManyRequests:
		return oidc.JSON(throttled().body)
	}
	f := fault{"10000", "An application error has occurred while processing your request", "System Failure Error: " + http.StatusText(status), ""}
	return oidc.JSON(f.body("SystemFault"))
}
