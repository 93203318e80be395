package connector

import (
	"context"
	"errors"
	"io"

	"docledger/domain/docstore"
	"docledger/domain/integration"
)

// Content returns the body of a file from a document store. The error of a body that ends early is
// integration.Unavailable, so that the file is read again.
func Content(p integration.Provider, body io.ReadCloser) io.ReadCloser { return content{body, p} }

type content struct {
	io.ReadCloser
	provider integration.Provider
}

func (c content) Read(into []byte) (int, error) {
	n, err := c.ReadCloser.Read(into)
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return n, err
	}
	return n, integration.Unavailable(c.provider, 0, err)
}

// FoldersInside lists the folders inside the folders of one path. Without such a folder, the path does not exist.
func FoldersInside(p integration.Provider, within []docstore.Item, list func(docstore.Item) ([]docstore.Item, error)) ([]docstore.Item, error) {
	if len(within) == 0 {
		return nil, NotFound(p, "folder", errors.New("nothing is at the path"))
	}
	found := []docstore.Item{}
	for _, at := range within {
		inside, err := list(at)
		if err != nil {
			return nil, err
		}
		found = append(found, inside...)
	}
	return found, nil
}
