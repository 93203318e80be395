// Package image unpacks an image of the product and runs it like a container
// engine: without privileges and with a read-only root.
package image

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Config is the configuration of the image.
type Config struct {
	User        string
	Labels      map[string]string
	Env         []string
	Entrypoint  []string
	Cmd         []string
	WorkingDir  string
	Volumes     map[string]struct{}
	Healthcheck struct{ Test []string }
}

// Image is an unpacked image.
type Image struct {
	Config Config
	Root   string // folder with the unpacked files
	Bytes  int64  // of all its files
}

// maxDescription limits the size of the two descriptions in an archive.
const maxDescription = 1 << 20

// Unpack unpacks a docker archive into a folder. It keeps the owners if it runs
// as root.
func Unpack(archive, dir string) (*Image, error) {
	var manifest []struct {
		Config string
		Layers []string
	}
	if err := readJSON(archive, "manifest.json", &manifest); err != nil {
		return nil, err
	}
	if len(manifest) != 1 {
		return nil, fmt.Errorf("the archive contains %d images", len(manifest))
	}
	var described struct {
		Config Config `json:"config"`
	}
	if err := readJSON(archive, manifest[0].Config, &described); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, layer := range manifest[0].Layers {
		if err := find(archive, layer, func(r io.Reader) error { return unpack(r, root) }); err != nil {
			return nil, fmt.Errorf("unpack %s: %w", layer, err)
		}
	}
	im := &Image{Config: described.Config, Root: dir}
	return im, fs.WalkDir(root.FS(), ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		im.Bytes += info.Size()
		return err
	})
}

func readJSON(archive, name string, into any) error {
	return find(archive, name, func(r io.Reader) error {
		return json.NewDecoder(io.LimitReader(r, maxDescription)).Decode(into)
	})
}

// find calls use with one file of an archive.
func find(archive, name string, use func(io.Reader) error) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	for r := tar.NewReader(file); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the archive lacks %s", name)
		}
		if err != nil {
			return err
		}
		if path.Clean(h.Name) == path.Clean(name) {
			return use(r)
		}
	}
}

// unpack applies a layer.
func unpack(layer io.Reader, root *os.Root) error {
	for r := tar.NewReader(layer); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := path.Clean(strings.TrimPrefix(h.Name, "/"))
		if strings.HasPrefix(path.Base(name), ".wh.") {
			return fmt.Errorf("%s: an image from scratch must not contain removals", name)
		}
		if err := place(r, h, name, root); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

func place(r io.Reader, h *tar.Header, name string, root *os.Root) error {
	if name == "." {
		return nil
	}
	mode := h.FileInfo().Mode()
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		if err := root.MkdirAll(name, 0o755); err != nil {
			return err
		}
	case tar.TypeSymlink:
		return root.Symlink(h.Linkname, name)
	case tar.TypeReg:
		file, err := root.Create(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(file, r)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	default:
		return fmt.Errorf("unexpected type of file %c", h.Typeflag)
	}
	if os.Geteuid() == 0 {
		if err := root.Lchown(name, h.Uid, h.Gid); err != nil {
			return err
		}
	}
	return root.Chmod(name, mode.Perm()|mode&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky))
}
