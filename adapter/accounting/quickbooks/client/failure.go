package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Codes of the provider's faults that matter here.
const (
	CodeNoPermission  = "120"
	CodeNotFound      = "610"
	CodeBadID         = "2030"
	CodeBadReference  = "2500"
	CodeSystem        = "10000"
	CodeDuplicate     = "6140" // number of a bill
	CodeLapsed        = "6190" // the company's subscription
	CodePeriodClosed  = "6210"
	CodeDuplicateName = "6240"
)

// Fault is one thing that the provider finds wrong.
type Fault struct {
	Code    string
	Message string
	Detail  string // may repeat what people wrote
}

// Failure says why a call has not led to an answer of use. Its text holds
// nothing that people wrote, and no token.
type Failure struct {
	Doing      string
	Status     int  // 0 where there was no answer
	NotSent    bool // the provider surely never saw the request
	RetryAfter time.Duration
	Kind       string  // the provider's word: ValidationFault; of the token endpoint, its error
	Faults     []Fault // none where the answer is not the provider's
	cause      error
}

// Error implements error.
func (f *Failure) Error() string {
	switch {
	case f.Status == 0 && f.NotSent:
		return fmt.Sprintf("%s: not sent: %v", f.Doing, f.cause)
	case f.Status == 0:
		return fmt.Sprintf("%s: %v", f.Doing, f.cause)
	}
	return fmt.Sprintf("%s: status %d, type %q, code %q", f.Doing, f.Status, f.Kind, f.Code())
}

// Unwrap returns the cause, if any.
func (f *Failure) Unwrap() error { return f.cause }

// Code is the code of the first fault; "" where there is none.
func (f *Failure) Code() string {
	if len(f.Faults) == 0 {
		return ""
	}
	return f.Faults[0].Code
}

// Refused says that the provider looked at what was asked for and did not do
// it.
func (f *Failure) Refused() bool {
	return (f.Status == http.StatusBadRequest || f.Status == http.StatusOK) && len(f.Faults) > 0 && f.Kind != "SystemFault" && f.Code() != CodeSystem
}

// Words are what the provider says of all faults.
func (f *Failure) Words() string {
	words := make([]string, 0, len(f.Faults))
	for _, x := range f.Faults {
		said := x.Detail
		if said == "" {
			said = x.Message
		}
		words = append(words, said)
	}
	return strings.Join(words, " ")
}

// wireFailure holds the shapes of refusals. Names begin with capitals in those
// of the API, and with small letters in those of what stands before it; the
// decoder takes both.
type wireFailure struct {
	Fault *wireFault `json:"Fault"`
	Error any        `json:"error"` // of the token endpoint
}

type wireFault struct {
	Error []struct {
		Message string `json:"Message"`
		Detail  string `json:"Detail"`
		Code    string `json:"code"`
	} `json:"Error"`
	Type string `json:"type"`
}

func (w *wireFault) faults() (out []Fault) {
	if w == nil {
		return nil
	}
	for _, e := range w.Error {
		out = append(out, Fault{Code: clip(e.Code), Message: clip(e.Message), Detail: clip(e.Detail)})
	}
	return out
}

// failure reads a refusal. One that is no JSON keeps its status alone.
func (a answer) failure(doing string) *Failure {
	f := &Failure{Doing: doing, Status: a.status, RetryAfter: retryAfter(a.status, a.header)}
	var said wireFailure
	if json.Unmarshal(a.body, &said) != nil {
		return f
	}
	if f.Faults = said.Fault.faults(); said.Fault != nil {
		f.Kind = clip(said.Fault.Type)
	} else if word, isText := said.Error.(string); isText {
		f.Kind = clip(word)
	}
	return f
}

// clip bounds a word of the provider's.
func clip(s string) string {
	const most = 400
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}
