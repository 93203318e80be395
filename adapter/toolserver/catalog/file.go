package catalog

import (
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
)

// ArgContent is the argument with a file in base64.
const ArgContent = "content"

// The parts of the form that uploads a file.
const (
	partFile    = "file"
	argFilename = "filename"
	uploadPath  = "/api/documents/upload"
)

// TakesFile reports whether FileRequest can send the file of the tool.
func (t Tool) TakesFile() bool { return t.path == uploadPath }

// FileRequest creates the API request with a decoded file in place of ArgContent. The file is sent as
// a stream.
func (t Tool) FileRequest(ctx context.Context, backend *url.URL, arguments Object, content io.Reader) (*http.Request, error) {
	from, to := io.Pipe()
	form := multipart.NewWriter(to)
	go func() { to.CloseWithError(writeForm(form, t.body, arguments, content)) }()
	req, err := http.NewRequestWithContext(ctx, t.method, backend.String()+t.path, from)
	if err != nil {
		_ = from.Close()
		return nil, err
	}
	req.Header.Set("Accept", jsonType)
	req.Header.Set("Content-Type", form.FormDataContentType())
	return req, nil
}

func writeForm(form *multipart.Writer, fields []string, arguments Object, content io.Reader) error {
	for _, name := range fields {
		value, there := arguments[name]
		if !there || value == nil || name == ArgContent || name == argFilename {
			continue
		}
		if err := form.WriteField(name, scalar(value)); err != nil {
			return err
		}
	}
	file, err := form.CreateFormFile(partFile, scalar(arguments[argFilename]))
	if err == nil {
		_, err = io.Copy(file, content)
	}
	if err != nil {
		return err
	}
	return form.Close()
}
