package export

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"docledger/domain/invoice"
)

// Style is the way in which CSV separates fields and decimals.
type Style string

// The styles.
const (
	International Style = "international" // comma and point
	European      Style = "european"      // semicolon and comma
)

// writer writes invoices in one format.
type writer interface {
	write([]invoice.Exported) error
	close() error
}

// lines are the line breaks of texts. The writer of CSV would drop a carriage return without a
// line feed.
var lines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// csvWriter writes CSV (RFC 4180) in UTF-8, with a header.
type csvWriter struct {
	rows  invoice.ExportRows
	style Style
	to    *csv.Writer
	line  []string
}

// newCSV writes the header when the first bytes are written or the writer is closed.
func newCSV(w io.Writer, rows invoice.ExportRows, style Style) *csvWriter {
	to := csv.NewWriter(w)
	to.UseCRLF = true
	if style == European {
		to.Comma = ';'
	}
	// The writer keeps an error until Flush.
	_ = to.Write(names[rows])
	return &csvWriter{rows: rows, style: style, to: to}
}

func (c *csvWriter) write(invoices []invoice.Exported) error {
	for i := range invoices {
		for _, row := range valuesOf(c.rows, &invoices[i]) {
			c.line = c.line[:0]
			for _, v := range row {
				c.line = append(c.line, c.cell(v))
			}
			if err := c.to.Write(c.line); err != nil {
				return err
			}
		}
	}
	c.to.Flush()
	return c.to.Error()
}

func (c *csvWriter) close() error {
	c.to.Flush()
	return c.to.Error()
}

func (c *csvWriter) cell(v value) string {
	switch {
	case v.kind == text:
		return harmless(c.split(lines.Replace(v.text)))
	case v.kind == decimal && c.style == European:
		return strings.Replace(v.text, ".", ",", 1)
	}
	return v.text
}

// split puts an apostrophe before the beginning of a formula that follows a line break, a tab or
// the separator of the other style. A spreadsheet with other settings than the export begins a
// cell there.
func (c *csvWriter) split(s string) string {
	if c.style == European {
		return afterComma.ReplaceAllString(s, "$1'$2")
	}
	return afterSemicolon.ReplaceAllString(s, "$1'$2")
}

var (
	afterComma     = regexp.MustCompile(`([,\t\n])([\s\p{Cc}\p{Cf}\p{Zs}"]*[=+\-@＝＋－＠])`)
	afterSemicolon = regexp.MustCompile(`([;\t\n])([\s\p{Cc}\p{Cf}\p{Zs}"]*[=+\-@＝＋－＠])`)
)

// harmless prefixes a text with an apostrophe if a spreadsheet would execute it as a
// formula. Spreadsheets skip space and invisible characters at the beginning, and accept the
// wide forms of the characters that begin a formula.
func harmless(s string) string {
	begin := strings.TrimLeftFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	})
	first, _ := utf8.DecodeRuneInString(begin)
	if begin != "" && strings.ContainsRune("=+-@＝＋－＠", first) || s != "" && strings.ContainsRune("\t\r\n", rune(s[0])) {
		return "'" + s
	}
	return s
}

// jsonWriter writes a JSON object in each line. Its keys are the columns of the CSV.
type jsonWriter struct {
	rows invoice.ExportRows
	keys [][]byte // with the colon and what precedes it
	to   *bufio.Writer
	text bytes.Buffer
}

func newJSONL(w io.Writer, rows invoice.ExportRows) *jsonWriter {
	j := &jsonWriter{rows: rows, to: bufio.NewWriterSize(w, 64<<10)}
	for i, name := range names[rows] {
		begin := ","
		if i == 0 {
			begin = "{"
		}
		j.keys = append(j.keys, []byte(begin+`"`+name+`":`))
	}
	return j
}

func (j *jsonWriter) write(invoices []invoice.Exported) error {
	for i := range invoices {
		for _, row := range valuesOf(j.rows, &invoices[i]) {
			for n, v := range row {
				if _, err := j.to.Write(j.keys[n]); err != nil {
					return err
				}
				if err := j.value(v); err != nil {
					return err
				}
			}
			if _, err := j.to.WriteString("}\n"); err != nil {
				return err
			}
		}
	}
	return j.to.Flush()
}

// value writes a value: integers as numbers, everything else as in the API.
func (j *jsonWriter) value(v value) (err error) {
	switch {
	case v.text == "":
		_, err = j.to.WriteString("null")
	case v.kind == integer:
		_, err = j.to.WriteString(v.text)
	default:
		j.text.Reset()
		encoder := json.NewEncoder(&j.text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(v.text); err != nil {
			return err
		}
		_, err = j.to.Write(bytes.TrimSuffix(j.text.Bytes(), []byte("\n")))
	}
	return err
}

func (j *jsonWriter) close() error { return j.to.Flush() }
