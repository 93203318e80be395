package config

import (
	"regexp"
	"strings"
)

// Blob configures where the bytes of documents are stored in addition to DataDir.
type Blob struct {
	URL       string // of an S3-compatible object store; "" for a folder in DataDir
	Bucket    string
	Region    string
	Prefix    string // prefix of every object name in the bucket
	PathStyle bool   // the path of URLs contains the bucket
	AccessKey string
	SecretKey Secret
}

func (r *reader) blob() Blob {
	b := Blob{URL: r.origin("BLOB_URL")}
	needed := b.URL != "" && !r.toolsAlone
	b.Bucket = r.bucket("BLOB_BUCKET", needed)
	b.Region = r.text("BLOB_REGION", "us-east-1")
	b.Prefix = r.text("BLOB_PREFIX", "")
	if strings.HasPrefix(b.Prefix, "/") || strings.HasSuffix(b.Prefix, "/") || strings.Contains(b.Prefix, "..") {
		r.problem("BLOB_PREFIX", "must be a name such as documents, without slashes around it")
	}
	b.PathStyle = r.oneOf("BLOB_ADDRESSING", "auto", "auto", "path") == "path"
	b.AccessKey = r.textIf("BLOB_ACCESS_KEY", needed)
	b.SecretKey = r.secret("BLOB_SECRET_KEY", needed)
	return b
}

// bucketName matches S3 bucket names. Names of old buckets and of other servers may
// contain capitals and underscores.
var bucketName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$`)

func (r *reader) bucket(name string, needed bool) string {
	v := r.textIf(name, needed)
	if v != "" && (!bucketName.MatchString(v) || strings.Contains(v, "..")) {
		r.problem(name, "must be a bucket name: 3 to 63 letters, digits, dots and hyphens")
	}
	return v
}
