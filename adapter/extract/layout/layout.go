// Package layout holds the words of a page and where they stand: what the
// reader of PDFs yields and an engine that reads text takes.
package layout

// Box is a rectangle x0, y0, x1, y1 in fractions of the page's width and
// height from its top left corner, after rotation: the notation of evidence.
type Box [4]float64

// Word is a run of characters without white space on one line.
type Word struct {
	Text string `json:"t"`
	Box  Box    `json:"b"`
	// Recognized is set where the word was recognized in an image.
	Recognized *Recognized `json:"r,omitempty"`
}

// Recognized is what text recognition says about a word beside its text.
type Recognized struct {
	// Confidence is how sure the least certain character is, from 0 to 1.
	Confidence float64 `json:"c"`
	// Shown is where the word stands on the page as it is shown: Box is where
	// it stands after skew and perspective are corrected.
	Shown Box `json:"s"`
	// Alternatives are other texts that the word may be.
	Alternatives []string `json:"a,omitempty"`
}

// Shown returns where the word stands on the page as it is shown.
func (w *Word) Shown() Box {
	if w.Recognized != nil {
		return w.Recognized.Shown
	}
	return w.Box
}

// Page is one page as it is seen, rotation applied.
type Page struct {
	Number   int     `json:"number"` // from 1
	Width    float64 `json:"width"`  // in points
	Height   float64 `json:"height"` // in points
	Rotation int     `json:"rotation"`
	Words    []Word  `json:"words"` // in the order of the content
	// Scanned says that the page is an image: its words were recognized in it,
	// by us or by the program that made the PDF, or it has none.
	Scanned bool `json:"scanned,omitempty"`
}
