package extraction

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// PageViewer shows pages of PDFs and of image files. Its errors are ErrNoPage, a *Failure of the
// document, ErrUnavailable, and the error of an ended ctx.
type PageViewer interface {
	// Image returns a page, from 1, as a PNG that is at most width pixels wide.
	Image(ctx context.Context, path string, page, width int) (png []byte, err error)
	// Words returns at most MaxPageWords words of a page with a text layer, in reading order. A scan
	// has none.
	Words(ctx context.Context, path string, page int) ([]PageWord, error)
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
