package service

import (
	"context"
	"fmt"
	"path/filepath"

	"docledger/adapter/blob"
	"docledger/adapter/blob/s3"
	"docledger/domain/document"
	"docledger/infrastructure/config"
)

// openBlobs opens the blob store. It connects to an object store on first use: without it
// everything else works.
func openBlobs(cfg config.Config) (document.Blobs, error) {
	if cfg.Blob.URL == "" {
		return blob.Open(filepath.Join(cfg.DataDir, "blobs"))
	}
	return openBucket(cfg)
}

func openBucket(cfg config.Config) (*s3.Store, error) {
	b := cfg.Blob
	store, err := s3.New(s3.Options{
		URL: b.URL, Region: b.Region, Bucket: b.Bucket, Prefix: b.Prefix, PathStyle: b.PathStyle,
		AccessKey: b.AccessKey, SecretKey: b.SecretKey.Reveal(), SpoolDir: filepath.Join(cfg.DataDir, "spool"),
	})
	if err != nil {
		return nil, fmt.Errorf("BLOB_URL: %w", err)
	}
	return store, nil
}

// prepareBlobs creates a missing bucket.
func prepareBlobs(ctx context.Context, cfg config.Config) error {
	if cfg.Blob.URL == "" {
		return nil
	}
	store, err := openBucket(cfg)
	if err != nil {
		return err
	}
	if err := store.Prepare(ctx); err != nil {
		return fmt.Errorf("%w; check the variables BLOB_… and that the object store runs", err)
	}
	return nil
}
