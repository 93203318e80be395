// Command integration uploads an invoice, waits for its data and prints number, amount and currency.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

// post sends a value as JSON and returns the record of the response.
func post(path string, token, body any) (record map[string]any) {
	data := must(json.Marshal(body))
	request := must(http.NewRequest(http.MethodPost, os.Getenv("BASE_URL")+path, bytes.NewReader(data)))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", fmt.Sprint("Bearer ", token))
	response := must(http.DefaultClient.Do(request))
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&record); err != nil || response.StatusCode != http.StatusOK {
		log.Fatalln(path, response.Status, record["error"], err)
	}
	return record
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	content := must(os.ReadFile(os.Args[1]))
	token := post("/api/auth/login", "", map[string]any{"email": os.Getenv("LOGIN_EMAIL"), "password": os.Getenv("LOGIN_PASSWORD")})["token"]
	document := post("/api/documents/upload", token, map[string]any{"entity_id": os.Getenv("ENTITY_ID"), "filename": "invoice.xml", "content": content})
	invoice := post("/api/invoices/extract", token, map[string]any{"document_id": document["id"]}) // responds after the extraction
	fmt.Println(invoice["invoice_number"], invoice["gross_total"], invoice["currency"])
}
