package edge

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"docledger/domain/fault"
	"docledger/openapi/check"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gin-gonic/gin"
)

// validate refuses requests that violate the specification of their operation.
// The generated code can bind every request that passes. Multipart bodies pass
// unread, because the handler streams them.
func (e *edge) validate(c *gin.Context) {
	s := stateOf(c)
	if s.operation == nil || s.operation.Signed {
		return
	}
	if s.tooLarge != nil {
		WriteError(c, s.tooLarge)
		e.drain(c, s)
		return
	}
	fields := s.operation.checkParameters(c)
	if len(fields) <= fault.MaxFields {
		bodyFields, err := e.checkBody(c, s)
		if err != nil {
			WriteError(c, err)
			return
		}
		fields = append(fields, bodyFields...)
	}
	if len(fields) > 0 {
		WriteError(c, fault.InvalidFields(fields))
	}
}

// checkBody returns the invalid fields of the body. It returns an error if the
// body cannot be examined.
func (e *edge) checkBody(c *gin.Context, s *state) ([]fault.Field, error) {
	o := s.operation
	if o.body == nil {
		return o.checkNoBody(c.Request)
	}
	mediaType, err := o.body.negotiate(c.Request)
	if err != nil {
		return nil, err
	}
	schema := o.body.schemas[mediaType]
	if mediaType != "" && schema == nil {
		return nil, nil
	}
	e.lease(c, s)
	data, err := []byte(nil), error(nil)
	if o.FileKey == "" {
		data, err = readBody(s, c.Request.Body, c.Request.ContentLength)
	} else {
		data, err = e.readFileBody(c, s)
	}
	if err != nil {
		return nil, err
	}
	c.Request.Body = io.NopCloser(bytes.NewReader(data))
	switch {
	case len(data) == 0 && o.body.required:
		return bodyField("needs a body"), nil
	case len(data) == 0:
		return nil, nil
	case mediaType == "":
		return nil, unsupportedMediaType(o.body)
	}
	return e.checkJSON(c, s, schema, data)
}

// maxEmptyBody is how much is read of a body where the operation takes none.
const maxEmptyBody = 64

// checkNoBody refuses a body of an operation that takes none, because a caller would believe that
// its values had an effect. Clients that always send JSON send {}. The body of GET has no meaning,
// and the pages that send a browser to an operation choose its body.
func (o *Operation) checkNoBody(r *http.Request) ([]fault.Field, error) {
	if o.Method == http.MethodGet || o.Browser || r.ContentLength == 0 {
		return nil, nil
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, maxEmptyBody+1))
	if err != nil {
		return nil, unreadable(err)
	}
	inside, object := bytes.CutPrefix(bytes.TrimSpace(data), []byte("{"))
	inside, closed := bytes.CutSuffix(inside, []byte("}"))
	if len(data) == 0 || len(data) <= maxEmptyBody && object && closed && len(bytes.TrimSpace(inside)) == 0 {
		return nil, nil
	}
	if slices.ContainsFunc(o.parameters, func(p parameter) bool { return p.in == openapi3.ParameterInQuery }) {
		return bodyField("takes no body; send the parameters in the query"), nil
	}
	return bodyField("takes no body; send the request without one"), nil
}

// checkJSON validates a body and reserves the memory that its values take
// until the request ends.
func (e *edge) checkJSON(c *gin.Context, s *state, schema *openapi3.Schema, data []byte) ([]fault.Field, error) {
	ctx := c.Request.Context()
	end, err := e.turns.take(ctx, len(data))
	if err != nil {
		return nil, err
	}
	defer end()
	fields, err := check.Body(ctx, schema, data, s.receive)
	if err != nil || len(fields) > 0 {
		return fieldsOf(fields), err
	}
	values, _ := check.Weigh(data)
	return nil, s.grow((decodedTimes-1)*int64(len(data)) + valueBytes*int64(values))
}

func bodyField(reason string) []fault.Field {
	return []fault.Field{{Field: "", Reason: reason}}
}

// negotiate returns the media type of the request among those of the body; ""
// if the request names none. It normalizes the header to the form that the
// generated code compares.
func (b *body) negotiate(r *http.Request) (string, error) {
	if slices.ContainsFunc(r.Header.Values("Content-Encoding"), func(coding string) bool { return coding != "" && !strings.EqualFold(coding, "identity") }) {
		return "", fault.New(fault.Invalid, fault.CodeUnsupportedMediaType, "The Content-Encoding is not supported. Send the body without it.")
	}
	header := r.Header.Get("Content-Type")
	if header == "" {
		return "", nil
	}
	mediaType, parameters, err := mime.ParseMediaType(header)
	if err != nil {
		return "", unsupportedMediaType(b)
	}
	if _, known := b.schemas[mediaType]; !known {
		return "", unsupportedMediaType(b)
	}
	if isJSON(mediaType) {
		if charset := parameters["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
			return "", fault.New(fault.Invalid, fault.CodeUnsupportedMediaType, "The charset is not supported. Send JSON in UTF-8.")
		}
		delete(parameters, "charset")
	}
	if mediaType == multipartForm && parameters["boundary"] == "" {
		return "", fault.New(fault.Invalid, fault.CodeUnsupportedMediaType,
			"The Content-Type has no boundary. Let your HTTP library set the header.")
	}
	r.Header.Set("Content-Type", mime.FormatMediaType(mediaType, parameters))
	return mediaType, nil
}

func unsupportedMediaType(b *body) error {
	return fault.New(fault.Invalid, fault.CodeUnsupportedMediaType, "The Content-Type is not supported. Send the body as %s and set Content-Type.", b.mediaTypes())
}

func unreadable(err error) error {
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return payloadTooLarge(tooLarge.Limit)
	}
	return fault.New(fault.Invalid, fault.CodeInvalidRequest,
		"The body is incomplete. Send the request again.").WithCause(err)
}
