package config

import "strings"

// Blob says where the bytes of documents are kept besides DataDir.
type Blob struct {
	URL       string // of an object store that speaks S3; "" for a folder in DataDir
	Bucket    string
	Region    string
	Prefix    string // of every name in the bucket
	PathStyle bool   // the bucket stands in the path of URLs
	AccessKey string
	SecretKey Secret
}

func (r *reader) blob() Blob {
	b := Blob{URL: r.origin("BLOB_URL")}
	needed := b.URL != "" && !r.toolsAlone
	b.Bucket = r.textIf("BLOB_BUCKET", needed)
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
