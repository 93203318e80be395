package extraction

// ReadingKind is the kind of a printed text that can be the value of a field.
type ReadingKind string

// The kinds.
const (
	NumberReading ReadingKind = "NUMBER"
	DateReading   ReadingKind = "DATE"
	NameReading   ReadingKind = "NAME"
	TaxIDReading  ReadingKind = "TAX_ID"
	AmountReading ReadingKind = "AMOUNT"
)

// Reading is a printed text that can be the value of a field, with its position and what
// is printed around it. A person who corrects a value chooses one of them.
type Reading struct {
	Kind   ReadingKind
	Values []string // in the API's text form; several if the text is ambiguous
	Page   int
	Box    [4]float64 // as in invoice.Evidence
	Text   string     // the text of the cell, as in invoice.Evidence
	// The labels of the text: before it in its cell, in the cell to its left, and in the cell
	// above it. They are in lower case and without digits; "" if there is none.
	Before, Left, Above string
}
