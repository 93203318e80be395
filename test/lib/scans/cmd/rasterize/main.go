// Command rasterize generates scans of printed PDFs with known values: pages at 150
// to 300 dots per inch with skew, noise, blur and JPEG compression. The same seed
// generates the same scans.
//
// usage: rasterize [-n 100] [-seed 1] CASES OUT
//
// OUT receives an image for a document with one page, a PDF of images for a document
// with several pages, and the matching expected.json.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxPages is the maximum number of pages of a document.
const maxPages = 4

func main() {
	n := flag.Int("n", 100, "number of documents")
	seed := flag.Uint64("seed", 1, "seed of the distortion and the selection")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("usage: rasterize [-n 100] [-seed 1] CASES OUT")
	}
	if err := run(flag.Arg(0), flag.Arg(1), *n, *seed); err != nil {
		log.Fatal(err)
	}
}

func run(cases, out string, n int, seed uint64) error {
	raw, err := os.ReadFile(filepath.Join(cases, "expected.json"))
	if err != nil {
		return err
	}
	var set struct {
		Files []map[string]any `json:"files"`
	}
	if err := json.Unmarshal(raw, &set); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(set.Files), func(i, k int) { set.Files[i], set.Files[k] = set.Files[k], set.Files[i] })
	var made []map[string]any
	for _, record := range set.Files {
		if len(made) == n {
			break
		}
		if record["outcome"] != "extract" {
			continue
		}
		name, err := scan(cases, out, record["file"].(string), random)
		if err != nil {
			return fmt.Errorf("%s: %w", record["file"], err)
		}
		if name != "" {
			record["file"], record["category"] = name, "scan"
			made = append(made, record)
		}
	}
	raw, err = json.Marshal(map[string]any{"files": made})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "expected.json"), raw, 0o600)
}

// scan creates the scan of a document; "" if it has too many pages.
func scan(cases, out, file string, random *rand.Rand) (string, error) {
	folder, err := os.MkdirTemp("", "rasterize-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	dpi := 150 + random.IntN(151)
	damage := newDamage(dpi, random)
	c := exec.Command("pdftoppm", "-r", strconv.Itoa(dpi), "-gray", "-png", "-l", strconv.Itoa(maxPages+1), filepath.Join(cases, file), filepath.Join(folder, "p"))
	if message, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("pdftoppm: %w: %s", err, message)
	}
	pages, err := filepath.Glob(filepath.Join(folder, "*.png"))
	if err != nil || len(pages) > maxPages {
		return "", err
	}
	slices.Sort(pages)
	var images [][]byte
	var sizes []image.Point
	for _, path := range pages {
		img, err := read(path)
		if err != nil {
			return "", err
		}
		img = damage.apply(img)
		var b bytes.Buffer
		if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: damage.quality}); err != nil {
			return "", err
		}
		images, sizes = append(images, b.Bytes()), append(sizes, img.Rect.Max)
	}
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if len(images) == 1 {
		return name + ".jpg", os.WriteFile(filepath.Join(out, name+".jpg"), images[0], 0o600)
	}
	return name + ".pdf", os.WriteFile(filepath.Join(out, name+".pdf"), pdf(images, sizes, dpi), 0o600)
}

func read(path string) (*image.Gray, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // the file is only read
	img, err := png.Decode(f)
	if err != nil {
		return nil, err
	}
	gray := image.NewGray(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	draw.Draw(gray, gray.Rect, img, img.Bounds().Min, draw.Src)
	return gray, nil
}

// damage is the distortion of a document's pages by a scanner.
type damage struct {
	skew       float64 // radians
	noise      float64 // standard deviation of the brightness
	blur       float64 // pixels
	paper, ink float64 // brightness
	quality    int     // of JPEG
	random     *rand.Rand
}

func newDamage(dpi int, random *rand.Rand) *damage {
	return &damage{
		skew:    (random.Float64()*2 - 1) * 2 * math.Pi / 180,
		noise:   random.Float64() * 14,
		blur:    random.Float64() * 0.8 * float64(dpi) / 200,
		paper:   225 + random.Float64()*30,
		ink:     random.Float64() * 50,
		quality: 35 + random.IntN(50),
		random:  random,
	}
}

func (d *damage) apply(src *image.Gray) *image.Gray {
	out := image.NewGray(src.Rect)
	w, h := src.Rect.Dx(), src.Rect.Dy()
	sin, cos := math.Sincos(d.skew)
	for y := range h {
		for x := range w {
			dx, dy := float64(x-w/2), float64(y-h/2)
			v := d.at(src, float64(w/2)+cos*dx-sin*dy, float64(h/2)+sin*dx+cos*dy)
			v = d.ink + v*(d.paper-d.ink)/255 + d.random.NormFloat64()*d.noise
			out.Pix[y*out.Stride+x] = uint8(min(255, max(0, v)))
		}
	}
	return out
}

// at returns the blurred brightness at a position: the mean of five points.
func (d *damage) at(src *image.Gray, x, y float64) float64 {
	sum := 2 * bilinear(src, x, y)
	for _, step := range [4][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
		sum += bilinear(src, x+step[0]*d.blur, y+step[1]*d.blur)
	}
	return sum / 6
}

func bilinear(src *image.Gray, x, y float64) float64 {
	fx, fy := math.Floor(x), math.Floor(y)
	pixel := func(x, y int) float64 {
		if !(image.Point{X: x, Y: y}).In(src.Rect) {
			return 255
		}
		return float64(src.Pix[y*src.Stride+x])
	}
	x0, y0, dx, dy := int(fx), int(fy), x-fx, y-fy
	top := pixel(x0, y0)*(1-dx) + pixel(x0+1, y0)*dx
	bottom := pixel(x0, y0+1)*(1-dx) + pixel(x0+1, y0+1)*dx
	return top*(1-dy) + bottom*dy
}

// pdf writes a PDF with images as pages.
func pdf(images [][]byte, sizes []image.Point, dpi int) []byte {
	var b bytes.Buffer
	var at []int
	object := func(format string, args ...any) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n", len(at))
		fmt.Fprintf(&b, format, args...)
		b.WriteString("\nendobj\n")
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids []string
	for i := range images {
		kids = append(kids, fmt.Sprintf("%d 0 R", 3+3*i))
	}
	object("<< /Type /Pages /Count %d /Kids [%s] >>", len(images), strings.Join(kids, " "))
	for i, data := range images {
		w, h := float64(sizes[i].X)*72/float64(dpi), float64(sizes[i].Y)*72/float64(dpi)
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.2f %.2f] /Contents %d 0 R /Resources << /XObject << /I %d 0 R >> >> >>", w, h, 4+3*i, 5+3*i)
		content := fmt.Sprintf("%.2f 0 0 %.2f 0 0 cm /I Do", w, h)
		object("<< /Length %d >>\nstream\n%s\nendstream", len(content), content)
		object("<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode /Length %d >>\nstream\n%s\nendstream",
			sizes[i].X, sizes[i].Y, len(data), data)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, p := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", p)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	return b.Bytes()
}
