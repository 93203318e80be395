package config

// OCR configures the recognition of scanned text.
type OCR struct {
	On        bool
	Processes int
	Dir       string // "" for the default folder
}

func (r *reader) ocr() OCR {
	return OCR{
		On:        r.oneOf("OCR", "on", "on", "off") == "on",
		Processes: int(r.number("OCR_PROCESSES", 1, 1, 64)),
		Dir:       r.text("OCR_DIR", ""),
	}
}

// ReadOCR reads only the variables of text recognition. The result equals the OCR
// field of a complete configuration.
func ReadOCR(env Environ) (OCR, error) {
	r := &reader{env: env}
	o := r.ocr()
	if len(r.problems) > 0 {
		return o, r.problems
	}
	return o, nil
}
