package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"slices"

	"github.com/google/uuid"
)

func sign(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// ofStatus gives each status a turn.
func ofStatus(_ context.Context, t *turn) error {
	t.known["invoice_id"] = t.invoices[t.pick(statuses)]
	return nil
}

// upload uploads a new file, as JSON and as a form.
func upload(_ context.Context, t *turn) error {
	text, err := example(fmt.Sprintf("U-%d", t.next()), "")
	if err != nil {
		return err
	}
	if t.n%2 == 0 {
		return t.json(map[string]any{"entity_id": t.entities[0], "filename": "u.xml", "content": []byte(text)})
	}
	var form bytes.Buffer
	m := multipart.NewWriter(&form)
	if err := m.WriteField("entity_id", t.entities[0]); err != nil {
		return err
	}
	part, err := m.CreateFormFile("file", "u.xml")
	if err != nil {
		return err
	}
	if _, err := part.Write([]byte(text)); err != nil {
		return err
	}
	if err := m.Close(); err != nil {
		return err
	}
	t.c.Body = form.Bytes()
	t.c.Header.Set("Content-Type", m.FormDataContentType())
	return nil
}

// bulk changes a new invoice, and one that does not exist.
func bulk(_ context.Context, t *turn) error {
	var item map[string]any
	if err := json.Unmarshal([]byte(t.known["$approval"]), &item); err != nil {
		return err
	}
	item["id"] = t.known["invoice_id"]
	body := map[string]any{"action": t.pick([]string{"approve", "reject", "sync"})}
	if body["action"] != "approve" {
		delete(item, "acknowledge_checks")
	}
	if body["action"] == "reject" {
		body["reason"] = "Not ours"
	}
	body["items"] = slices.Concat([]any{item}, []any{map[string]any{"id": uuid.NewString(), "version": 1}})
	return t.json(body)
}
