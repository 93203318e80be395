// Package layout defines the words of a page and their positions. The PDF engine
// returns them, and the text rules use them.
package layout

// Box is a rectangle x0, y0, x1, y1 in fractions of the page's width and height from
// its top left corner, after rotation. Evidence uses the same notation.
type Box [4]float64

// Word is a sequence of characters without white space on one line.
type Word struct {
	Text string `json:"t"`
	Box  Box    `json:"b"`
	// Recognized is set if the word was recognized in an image.
	Recognized *Recognized `json:"r,omitempty"`
}

// Recognized is the additional information of text recognition about a word.
type Recognized struct {
	// Confidence is the confidence of the least certain character, from 0 to 1.
	Confidence float64 `json:"c"`
	// Shown is the position of the word on the displayed page. Box is its position
	// after the correction of skew and perspective.
	Shown Box `json:"s"`
	// Alternatives are other possible texts of the word.
	Alternatives []string `json:"a,omitempty"`
}

// Shown returns the position of the word on the displayed page.
func (w *Word) Shown() Box {
	if w.Recognized != nil {
		return w.Recognized.Shown
	}
	return w.Box
}

// Page is one page as displayed, with its rotation applied.
type Page struct {
	Number   int     `json:"number"` // from 1
	Width    float64 `json:"width"`  // in points
	Height   float64 `json:"height"` // in points
	Rotation int     `json:"rotation"`
	Words    []Word  `json:"words"` // in content order
	// Scanned reports that the page is an image. Its words, if any, were recognized
	// by docledger or by the program that created the PDF.
	Scanned bool `json:"scanned,omitempty"`
}
