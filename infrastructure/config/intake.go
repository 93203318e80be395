package config

import (
	"path/filepath"
	"time"
)

// Intake configures the folder from which files are received.
type Intake struct {
	Folder string        // "" for none
	Keep   bool          // received files stay, in the folder done
	Settle time.Duration // for which a file must not change
}

func (r *reader) intake() Intake {
	i := Intake{
		Folder: r.text("INTAKE_FOLDER", ""), Keep: r.oneOf("INTAKE_KEEP", "off", "off", "on") == "on", Settle: r.duration("INTAKE_SETTLE", 10*time.Second),
	}
	if i.Folder != "" && !filepath.IsAbs(i.Folder) {
		r.problem("INTAKE_FOLDER", "must be an absolute path")
	}
	return i
}
