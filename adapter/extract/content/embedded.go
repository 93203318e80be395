package content

import (
	"bytes"
	"context"

	"docledger/adapter/extract/container"
	"docledger/adapter/extract/einvoice"
	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdf"
	"docledger/adapter/extract/sniff"
	"docledger/domain/document"
	"docledger/domain/extraction"
)

// Attachment returns the bytes of a file embedded in a document, which the
// extraction listed as wanted. Of several equal ones nth selects, from 0. It is
// extraction.ErrNoPage if there is none.
func Attachment(ctx context.Context, data []byte, wanted document.Attachment, nth int, limits pdf.Limits) ([]byte, error) {
	if t := sniff.Detect(data); container.Can(t) {
		found, err := container.Find(data, container.DefaultLimits(), wanted.Name, wanted.MediaType, wanted.SizeBytes, nth)
		if err == nil && found == nil {
			err = extraction.ErrNoPage
		}
		return found, err
	}
	f := finder{wanted: wanted, skip: nth, limits: limits}
	if err := f.search(ctx, data, true); err != nil {
		return nil, err
	}
	if f.content == nil {
		return nil, extraction.ErrNoPage
	}
	return f.content, nil
}

// finder searches a file in the order in which the extraction lists files.
type finder struct {
	wanted  document.Attachment
	skip    int
	limits  pdf.Limits
	content []byte // not nil: found
}

// matches reports whether a file is the wanted one.
func (f *finder) matches(a document.Attachment) bool {
	if a != f.wanted {
		return false
	}
	f.skip--
	return f.skip < 0
}

func (f *finder) search(ctx context.Context, data []byte, portfolio bool) error {
	if !pdf.IsPDF(data) {
		return f.searchXML(ctx, data)
	}
	report, err := pdf.Inspect(data, sniff.LooksLikeXML, f.limits)
	if err != nil {
		return err
	}
	for i, a := range attachments(report.Files) {
		if f.matches(a) {
			return f.extract(data, report.Files, i)
		}
	}
	picked, err := choose(ctx, report.Files)
	if err != nil {
		return err
	}
	if picked.best != nil {
		return f.searchXML(ctx, picked.best.data)
	}
	for _, file := range report.Files {
		if portfolio && file.Data != nil && pdf.IsPDF(file.Head) && f.content == nil {
			if err := f.search(ctx, file.Data, false); err != nil && ctx.Err() != nil {
				return err
			}
		}
	}
	return nil
}

func (f *finder) searchXML(ctx context.Context, data []byte) error {
	text, _, err := unsigned(data)
	if err != nil {
		return err
	}
	list, err := einvoice.Attachments(ctx, text)
	if err != nil {
		return err
	}
	for _, a := range list {
		if f.matches(a.Attachment) {
			f.content, err = a.Content()
			return err
		}
	}
	return nil
}

// extract reads the file with the index i of a PDF whole. Its walk keeps only
// what looks like XML.
func (f *finder) extract(data []byte, files []pdf.File, i int) error {
	same := func(a pdf.File) bool { return a.Name == files[i].Name && bytes.Equal(a.Head, files[i].Head) }
	nth := 0
	for _, before := range files[:i] {
		if same(before) {
			nth++
		}
	}
	report, err := pdf.Inspect(data, func(head []byte) bool { return bytes.Equal(head, files[i].Head) || sniff.LooksLikeXML(head) }, f.limits)
	if err != nil {
		return err
	}
	for _, again := range report.Files {
		if !same(again) {
			continue
		}
		if nth--; nth >= 0 {
			continue
		}
		if again.Data == nil {
			return extraction.Fail(extraction.TooLarge, "The embedded file is damaged or too large to be read.")
		}
		f.content = again.Data
		return nil
	}
	return nil
}

// Structured returns the electronic invoices of a document that is XML or a PDF
// with embedded data. Any other document is a failure.
func Structured(ctx context.Context, data []byte, limits pdf.Limits) (*extraction.Result, error) {
	if !pdf.IsPDF(data) {
		return XML(ctx, data)
	}
	printed := extraction.Fail(extraction.UnsupportedType, "The document is no electronic invoice. Look at its pages.")
	words := func([]byte) ([]layout.Page, error) { return nil, printed }
	p := PDF{
		Data: data, Limits: limits, Unusable: func(*extraction.Failure) {},
		Words: func() ([]layout.Page, error) { return words(nil) }, Inner: words,
	}
	return p.Read(ctx)
}
