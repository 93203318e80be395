package extraction

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"docledger/domain/document"
)

// ErrNoPage reports that a file has no page with the number.
var ErrNoPage = errors.New("the file has no such page")

// MaxPageWords is the number of words of a page that people and programs receive.
const MaxPageWords = 5000

// PageWord is a word of a page. Box is where people see it: x0, y0, x1, y1 in fractions of the width
// and height of the page from its top left corner, as in the evidence of an invoice (domain D1).
type PageWord struct {
	Text string
	Box  [4]float64
}

// Viewed is a document that people look at. Path names a local file with its bytes. Part is which of
// several invoices of an XML file is shown, from 1; 0 means all.
type Viewed struct {
	Path string
	Part int
}

// PageViewer shows documents to people. The pages of an XML invoice are those of its PDF. Its errors
// are ErrNoPage, a *Failure of the document, ErrUnavailable, and the error of an ended ctx.
type PageViewer interface {
	// Image returns a page, from 1, as a PNG that is at most width pixels wide.
	Image(ctx context.Context, d Viewed, page, width int) (png []byte, err error)
	// Words returns at most MaxPageWords words of a page with a text layer, in reading order. A scan
	// has none.
	Words(ctx context.Context, d Viewed, page int) ([]PageWord, error)
	// HTML returns the data of an electronic invoice as a page, with the Content-Security-Policy under
	// which it may be shown.
	HTML(ctx context.Context, d Viewed) (html []byte, policy string, err error)
	// PDF returns the data of an electronic invoice as a PDF.
	PDF(ctx context.Context, d Viewed) ([]byte, error)
	// Attachment returns the bytes of a file that is embedded in the document, and that its extraction
	// listed as a. Of several equal ones nth selects, from 0. It is ErrNoPage if there is none.
	Attachment(ctx context.Context, d Viewed, a document.Attachment, nth int) ([]byte, error)
}

// MaxMergedPages is the maximum number of pages of a document that is made of others.
const MaxMergedPages = 500

// MergedPage is a page, from 1, of a file that is merged. Rotate turns it clockwise by 0, 90, 180 or
// 270 degrees.
type MergedPage struct{ Number, Rotate int }

// MergedFile is a PDF or an image with pages of which a document is made. Without Pages, all its pages
// are used. Name is its name for people.
type MergedFile struct {
	Path  string
	Name  string
	Pages []MergedPage
}

// Merger makes one PDF of the pages of several files.
type Merger interface {
	// Merge returns the PDF and the number of its pages. Its errors are a *Failure of a file,
	// ErrUnavailable, and the error of an ended ctx.
	Merge(ctx context.Context, files []MergedFile) (pdf []byte, pages int, err error)
}

// WordsName is the name of the rendition with the words that OCR recognized on a page.
func WordsName(page int) string { return fmt.Sprintf("words/1/%d", page) }

// EncodeWords writes words as they are stored.
func EncodeWords(words []PageWord) ([]byte, error) {
	data, err := json.Marshal(words[:min(len(words), MaxPageWords)])
	if err != nil {
		return nil, fmt.Errorf("encode words: %w", err)
	}
	return data, nil
}

// DecodeWords reads stored words.
func DecodeWords(data []byte) (words []PageWord, err error) {
	if err := json.Unmarshal(data, &words); err != nil {
		return nil, fmt.Errorf("decode words: %w", err)
	}
	return words, nil
}
