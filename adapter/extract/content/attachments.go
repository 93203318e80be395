package content

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docledger/adapter/extract/pdf"
	"docledger/adapter/extract/sniff"
	"docledger/domain/document"
)

// attachments lists embedded files. It detects their types from their bytes.
func attachments(files []pdf.File) []document.Attachment {
	var out []document.Attachment
	for _, f := range files {
		media := "application/octet-stream"
		if len(f.Head) > 0 {
			media = sniff.Detect(f.Head).MediaType
		}
		out = append(out, document.Attachment{
			Name:      safeName(f.Name),
			MediaType: media,
			SizeBytes: max(f.Size, int64(len(f.Head))),
		})
	}
	return out
}

// maxName is the maximum length of a file name in bytes.
const maxName = 200

// safeName returns the last part of a path, without unprintable characters and
// characters that change the text direction.
func safeName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)
	name = strings.Trim(name, " .")
	for len(name) > maxName {
		_, last := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-last]
	}
	if name == "" {
		return "attachment"
	}
	return name
}
