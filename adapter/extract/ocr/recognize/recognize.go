// Package recognize reads the text of an image with the networks of PP-OCR: one finds the lines,
// one determines their orientation, one reads them. This package implements the geometry of
// lines, and the orientation, skew and perspective of the page.
package recognize

import (
	"cmp"
	"errors"
	"image"
	"math"
	"path/filepath"
	"slices"

	"docledger/adapter/extract/ocr/onnx"
)

// The files of the models in their folder.
const (
	DetectionFile   = "detection.onnx"
	DirectionFile   = "direction.onnx"
	RecognitionFile = "recognition.onnx"
)

const (
	// longestDetected and longestRead bound the longer side of the image that
	// lines are looked for in, and that they are read from, in pixels: A4 at
	// some 110 and 300 dots an inch. More pixels find no more lines, and take
	// time in proportion.
	longestDetected = 1280
	longestRead     = 3600
	lineHeight      = 48
	widestLine      = 3200
	// uprightLine is the minimum ratio of a line's width to its height that shows the orientation
	// of the page.
	uprightLine = 2.5
	// faintest is how surely a line must be read to be kept.
	faintest = 0.5
)

var errShape = errors.New("a model of the text recognition answered in an unexpected shape")

// Engine reads images. It is not safe for concurrent use.
type Engine struct {
	detection, direction, recognition network
	alphabet                          []rune
}

// Open loads library and models.
func Open(library, models string) (*Engine, error) {
	r, err := onnx.Open(library)
	if err != nil {
		return nil, err
	}
	detection, err1 := r.Load(filepath.Join(models, DetectionFile))
	direction, err2 := r.Load(filepath.Join(models, DirectionFile))
	recognition, err3 := r.Load(filepath.Join(models, RecognitionFile))
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	list, err := recognition.Metadata("character")
	if err != nil {
		return nil, err
	}
	return &Engine{detection: detection, direction: direction, recognition: recognition, alphabet: alphabetOf(list)}, nil
}

// Line is a line of text of a page.
type Line struct {
	quad       quad
	characters []character
	sure       float64
}

// lines finds and reads the lines of an image, and says by how many quarter
// turns clockwise the page must be turned to stand upright.
func (e *Engine) lines(img *image.Gray) ([]Line, int, error) {
	boxes, err := detect(e.detection, img, longestDetected)
	if err != nil || len(boxes) == 0 {
		return nil, 0, err
	}
	quarters, err := e.turns(img, boxes)
	if err != nil {
		return nil, 0, err
	}
	for i := range boxes {
		boxes[i] = asRead(boxes[i], quarters)
	}
	lines, err := e.read(img, boxes)
	return lines, quarters, err
}

// asRead names the corners of a box as its text is read on a page that must be
// turned by quarters to stand upright. Of boxes that are much higher than wide
// then, the text runs upwards.
func asRead(box quad, quarters int) quad {
	box = box.turned(quarters)
	if box.height() > 1.5*box.width() {
		box = box.turned(1)
	}
	return box
}

// votes is how many lines are asked which way up they stand.
const votes = 12

// turns returns the orientation of the page: the side along which most of its lines run, and
// their reading direction.
func (e *Engine) turns(img *image.Gray, boxes []quad) (int, error) {
	flat, tall := 0.0, 0.0
	for _, b := range boxes {
		switch w, h := b.width(), b.height(); {
		case w >= uprightLine*h:
			flat += w
		case h >= uprightLine*w:
			tall += h
		}
	}
	quarters := 0
	if tall > flat {
		quarters = 1
	}
	long := make([]quad, 0, len(boxes))
	for _, b := range boxes {
		if b = b.turned(quarters); b.width() >= uprightLine*b.height() {
			long = append(long, b)
		}
	}
	slices.SortFunc(long, func(a, b quad) int { return cmp.Compare(b.width()/b.height(), a.width()/a.height()) })
	long = long[:min(len(long), votes)]
	if len(long) == 0 {
		return quarters, nil
	}
	upside, err := e.upsideDown(img, long)
	if upside {
		quarters += 2
	}
	return quarters, err
}

// sureDirection is the share of lines from which the direction network is
// believed; below it, the lines are read both ways.
const sureDirection = 0.85

func (e *Engine) upsideDown(img *image.Gray, lines []quad) (bool, error) {
	const w, h = 192, lineHeight
	images := make([]*image.Gray, len(lines))
	for i, q := range lines {
		width := min(w, int(math.Ceil(h*q.width()/q.height())))
		images[i] = crop(img, q, width, h)
	}
	out, shape, err := e.direction.Run(planes(images, w, h), int64(len(images)), 3, h, w)
	if err != nil {
		return false, err
	}
	if len(shape) != 2 || shape[1] != 2 || len(out) != 2*len(lines) {
		return false, errShape
	}
	turned := 0.0
	for i := range lines {
		turned += float64(out[2*i+1])
	}
	part := turned / float64(len(lines))
	if part <= 1-sureDirection || part >= sureDirection {
		return part > 0.5, nil
	}
	const few = 6
	lines = lines[:min(len(lines), few)]
	var sure [2]float64
	for way := range sure {
		boxes := make([]quad, len(lines))
		for i, q := range lines {
			boxes[i] = q.turned(2 * way)
		}
		read, err := e.read(img, boxes)
		if err != nil {
			return false, err
		}
		for _, l := range read {
			sure[way] += l.sure * float64(len(l.characters))
		}
	}
	return sure[1] > sure[0], nil
}

// batch is how many pixels of width are read at once.
const batch = 1600

// read reads boxes whose corners are named as their text is read.
func (e *Engine) read(img *image.Gray, boxes []quad) ([]Line, error) {
	boxes = slices.Clone(boxes)
	ratio := func(q quad) float64 { return q.width() / max(1, q.height()) }
	slices.SortFunc(boxes, func(a, b quad) int { return cmp.Compare(ratio(a), ratio(b)) })
	var out []Line
	for from := 0; from < len(boxes); {
		width, to := 0, from
		for to < len(boxes) {
			w := lineWidth(boxes[to])
			if to > from && (w*(to-from+1) > batch || float64(w) > 1.15*float64(lineWidth(boxes[from]))+16) {
				break
			}
			width = w
			to++
		}
		lines, err := e.readBatch(img, boxes[from:to], width)
		if err != nil {
			return nil, err
		}
		out = append(out, lines...)
		from = to
	}
	return out, nil
}

// lineWidth is the width in pixels at which a box is read.
func lineWidth(q quad) int {
	return min(widestLine, max(lineHeight/2, int(math.Ceil(lineHeight*q.width()/max(1, q.height())))))
}

func (e *Engine) readBatch(img *image.Gray, boxes []quad, width int) ([]Line, error) {
	padded := (width + 15) / 8 * 8 // a margin, as the model was trained with
	images := make([]*image.Gray, len(boxes))
	for i, q := range boxes {
		images[i] = crop(img, q, lineWidth(q), lineHeight)
	}
	out, shape, err := e.recognition.Run(planes(images, padded, lineHeight), int64(len(boxes)), 3, lineHeight, int64(padded))
	if err != nil {
		return nil, err
	}
	if len(shape) != 3 || int(shape[0]) != len(boxes) || int(shape[2]) != len(e.alphabet) {
		return nil, errShape
	}
	steps := int(shape[1])
	size := len(out) / len(boxes)
	var lines []Line
	for i, q := range boxes {
		characters := decode(out[i*size:(i+1)*size], steps, e.alphabet)
		sum := 0.0
		for k := range characters {
			// Fractions of the box rather than of what was read.
			characters[k].at *= float64(padded) / float64(images[i].Rect.Dx())
			sum += characters[k].sure
		}
		if n := len(characters); n > 0 && sum/float64(n) >= faintest {
			lines = append(lines, Line{quad: q, characters: characters, sure: sum / float64(n)})
		}
	}
	return lines, nil
}
