// Command integration uploads an invoice, waits for its data and prints number,
// amount and currency.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

// post sends a value as JSON and decodes the response.
func post(path, token string, body, response any) {
	data, err := json.Marshal(body)
	check(err)
	request, err := http.NewRequest(http.MethodPost, os.Getenv("BASE_URL")+path, bytes.NewReader(data))
	check(err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	check(err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		log.Fatalf("%s: %s", path, answer.Status)
	}
	check(json.NewDecoder(answer.Body).Decode(response))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	content, err := os.ReadFile(os.Args[1])
	check(err)
	var session struct{ Token string }
	post("/api/auth/login", "", map[string]string{"email": os.Getenv("LOGIN_EMAIL"), "password": os.Getenv("LOGIN_PASSWORD")}, &session)
	var document struct{ ID string }
	post("/api/documents/upload", session.Token, map[string]any{"entity_id": os.Getenv("ENTITY_ID"), "filename": "invoice.xml", "content": content}, &document)
	var invoice struct {
		Number   string `json:"invoice_number"`
		Gross    string `json:"gross_total"`
		Currency string
	}
	// The response comes when the extraction has ended.
	post("/api/invoices/extract", session.Token, map[string]string{"document_id": document.ID}, &invoice)
	fmt.Println(invoice.Number, invoice.Gross, invoice.Currency)
}
