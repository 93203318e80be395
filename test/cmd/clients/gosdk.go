package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"docledger/test/lib/harness"
	"docledger/test/suites/assistant"
)

// goSDK runs the same steps with the Go SDK.
func goSDK(ctx context.Context, w *world) error {
	session, err := assistant.Connect(ctx, w.url, assistant.Options{ClientID: w.clientID, Secret: w.secret, Person: w.person})
	if err != nil {
		return err
	}
	return errors.Join(work(ctx, session, w.entity), session.Close())
}

// work uploads a document, extracts it and reads it.
func work(ctx context.Context, session *assistant.Session, entity string) error {
	const number = "GO-1"
	document, err := session.Call(ctx, "upload_document", map[string]any{
		"entity_id": entity, "filename": "go.xml", "content": base64.StdEncoding.EncodeToString(harness.UBL(number)),
	})
	if err != nil {
		return err
	}
	extracted, err := session.Call(ctx, "extract_invoice", map[string]any{"document_id": document["id"]})
	if err != nil {
		return err
	}
	read, err := session.Call(ctx, "get_invoice", map[string]any{"invoice_id": extracted["id"]})
	if err != nil {
		return err
	}
	if read["invoice_number"] != number || read["gross_total"] != "119.00" || read["document_id"] != document["id"] || session.SignIns() != 1 {
		return fmt.Errorf("read back %v after %d sign-ins", read, session.SignIns())
	}
	return nil
}
