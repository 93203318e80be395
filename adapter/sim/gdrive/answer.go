package gdrive

import (
	"net/http"

	"docledger/adapter/sim/kit/oidc"
)

// object is a JSON object.
type object = map[string]any

// refusal is an error response of the API.
type refusal struct {
	status          int
	domain, reason  string
	message         string
	location, param string
}

func (f *refusal) body() []byte {
	one := object{"message": f.message, "domain": f.domain, "reason": f.reason}
	if f.param != "" {
		one["location"], one["locationType"] = f.param, f.location
	}
	return oidc.JSON(object{"error": object{"code": f.status, "message": f.message, "errors": []any{one}}})
}

func (f *refusal) send(w http.ResponseWriter) {
	if f.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="https://accounts.google.com/", error="invalid_token"`)
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(f.status)
	_, _ = w.Write(f.body()) // a caller that disconnected needs no response
}

func plain(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	_, _ = w.Write(oidc.JSON(body)) // as above
}

func invalid(param, message string) *refusal {
	return &refusal{http.StatusBadRequest, "global", "invalid", message, "parameter", param}
}

func unauthorized() *refusal {
	return &refusal{http.StatusUnauthorized, "global", "authError", "Invalid Credentials", "header", "Authorization"}
}

func noFile(id string) *refusal {
	return &refusal{http.StatusNotFound, "global", "notFound", "File not found: " + id + ".", "parameter", "fileId"}
}

func noDrive(id string) *refusal {
	return &refusal{http.StatusNotFound, "global", "notFound", "Shared drive not found: " + id, "parameter", "driveId"}
}

// forbidden returns one of the many errors with status 403.
func forbidden(reason, message string) *refusal {
	return &refusal{status: http.StatusForbidden, domain: "global", reason: reason, message: message}
}

// refused returns the reason why a user does not get a file.
func refused(status int, id string) *refusal {
	if status == http.StatusForbidden {
		return forbidden("insufficientFilePermissions", "The user does not have sufficient permissions for this file.")
	}
	return noFile(id)
}

// limitReasons are the reasons of temporary refusals.
func limitReasons() []string {
	return []string{"userRateLimitExceeded", "rateLimitExceeded", "dailyLimitExceeded", "sharingRateLimitExceeded"}
}

func tooMany(status int, reason string) *refusal {
	return &refusal{status: status, domain: "usageLimits", reason: reason, message: "User Rate Limit Exceeded. Rate of requests for user exceed configured project quota."}
}

// faultBody returns the body for a status that a fault of sim/kit requests.
func faultBody(status int) []byte {
	switch status {
	case http.StatusUnauthorized:
		return unauthorized().body()
	case http.StatusForbidden:
		return tooMany(status, "userRateLimitExceeded").body()
	case http.StatusTooManyRequests:
		return tooMany(status, "rateLimitExceeded").body()
	case http.StatusNotFound:
		return noFile("").body()
	case http.StatusBadRequest:
		return invalid("pageToken", "Invalid Value").body()
	}
	return (&refusal{status: status, domain: "global", reason: "backendError", message: http.StatusText(status)}).body()
}

func unreadable() *refusal {
	return &refusal{status: http.StatusBadRequest, domain: "global", reason: "parseError", message: "Parse Error"}
}
