package extract

import (
	"context"
	"fmt"
	"strings"

	"docledger/adapter/extract/sniff"
	"docledger/domain/document"
	"docledger/domain/extraction"
)

// maxListed is the maximum number of other files of a container that are listed as its
// attachments.
const maxListed = 100

// maxNamed is the maximum number of files that a message names.
const maxNamed = 3

// openContainer passes the documents in an e-mail or an archive to s.OnFile. Other
// files are its attachments. A container in which no file can be extracted is a
// failure, so that its files do not fail one by one.
func (p *Pipeline) openContainer(ctx context.Context, s extraction.Source, t sniff.Type) (*extraction.Result, error) {
	result := &extraction.Result{Container: true, MediaType: t.MediaType}
	documents, readable := 0, 0
	var other []string
	err := p.pool.Open(ctx, s.Path, func(f extraction.ContainedFile) error {
		if f.Readable {
			readable++
		} else if len(other) < maxNamed {
			other = append(other, f.Path)
		}
		if f.Document {
			if documents++; documents > extraction.MaxContained {
				return extraction.Fail(extraction.TooLarge, "The file contains more than %d documents. Split it and upload the parts.", extraction.MaxContained)
			}
		} else if len(result.Attachments) < maxListed {
			result.Attachments = append(result.Attachments, document.Attachment{Name: f.Path, MediaType: f.MediaType, SizeBytes: f.SizeBytes})
		}
		return s.OnFile(f)
	})
	switch {
	case err != nil:
		return nil, err
	case readable == 0:
		return nil, extraction.Fail(extraction.NothingInside, "%s", nothingInside(t, other))
	}
	return result, nil
}

// nothingInside says that a container has no document that can be extracted.
func nothingInside(t sniff.Type, other []string) string {
	what := "archive"
	if t.Kind == sniff.Email {
		what = "e-mail"
	}
	message := fmt.Sprintf("The %s contains no PDF, XML or image that can be an invoice.", what)
	if len(other) > 0 {
		message += " It contains " + strings.Join(other, ", ") + "."
	}
	return message + " Upload the invoice itself, as XML, PDF or an image."
}
