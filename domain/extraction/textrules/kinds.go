package textrules

import "strings"

// kinds are the titles of documents that are no invoices (domain D30), by the
// names of extraction.Kind.
var kinds = map[string]string{
	"proforma":       `proforma|pro forma|proforma invoice|pro forma invoice|proforma rechnung|pro forma rechnung|proformarechnung|facture proforma|facture pro forma|factura proforma|fattura proforma|proforma factuur|fatura proforma|faktura proforma|faktura pro forma|προτιμολογιο|проформа|проформа фактура|見積請求書|形式发票|فاتورة أولية|فاتورة مبدئية`,
	"reminder":       `reminder|payment reminder|final reminder|overdue notice|dunning letter|past due notice|final notice|first reminder|second reminder|mahnung|zahlungserinnerung|erste mahnung|letzte mahnung|1 mahnung|2 mahnung|3 mahnung|rappel|rappel de paiement|relance|mise en demeure|recordatorio de pago|sollecito|sollecito di pagamento|aanmaning|betalingsherinnering|herinnering|lembrete de pagamento|wezwanie do zaplaty|przypomnienie o platnosci|purring|paminnelse|rykker|υπενθυμιση πληρωμησ|напомняне за плащане|督促状|催款通知|تذكير بالدفع`,
	"statement":      `statement|account statement|statement of account|monthly statement|kontoauszug|saldenbestatigung|releve de compte|releve|estado de cuenta|extracto de cuenta|estratto conto|rekeningoverzicht|rekeningafschrift|extrato de conta|extrato|wyciag z konta|zestawienie sald|kontoutdrag|κινηση λογαριασμου|извлечение по сметка|対账单|对账单|取引明細書|كشف حساب`,
	"quote":          `quotation|quote|estimate|price quote|sales quote|offer|angebot|kostenvoranschlag|devis|presupuesto|cotizacion|preventivo|offerta|offerte|prijsopgave|orcamento|proposta comercial|cotacao|oferta|tilbud|offert|tarjous|nabidka|προσφορα|оферта|見積書|御見積書|报价单|عرض سعر`,
	"order":          `purchase order|sales order|order confirmation|order acknowledgement|bestellung|auftragsbestatigung|bestellbestatigung|bon de commande|confirmation de commande|orden de compra|pedido de compra|confirmacion de pedido|ordine di acquisto|conferma d ordine|inkooporder|bestelbon|orderbevestiging|ordem de compra|pedido de compra|nota de encomenda|zamowienie|potwierdzenie zamowienia|ordrebekraeftelse|orderbekraftelse|παραγγελια|поръчка|注文書|発注書|采购订单|订购单|أمر شراء`,
	"delivery_note":  `delivery note|packing slip|packing list|goods received note|delivery slip|lieferschein|bon de livraison|bordereau de livraison|albaran|albaran de entrega|nota de entrega|documento di trasporto|bolla di consegna|pakbon|leverbon|guia de remessa|guia de transporte|dokument wz|wydanie zewnetrzne|folgeseddel|foljesedel|δελτιο αποστολησ|стокова разписка|納品書|送货单|发货单|إشعار تسليم`,
	"payment_advice": `remittance advice|payment advice|advice of payment|payment confirmation|zahlungsavis|avis de paiement|avis de virement|aviso de pago|avviso di pagamento|betalingsadvies|aviso de pagamento|awizo platnosci|支払通知書|付款通知|إشعار دفع`,
}

var kindsByPhrase = func() map[string]string {
	m := map[string]string{}
	for kind, list := range kinds {
		for _, entry := range strings.Split(list, "|") {
			m[strings.Join(Words(entry), " ")] = kind
			m[entry] = kind
		}
	}
	return m
}()

// KindOf returns the kind of a document that a title names, "" where the title
// names none. A number after the title does not matter.
func KindOf(title string) string {
	words := Words(title)
	for len(words) > 0 {
		if kind, ok := kindsByPhrase[strings.Join(words, " ")]; ok {
			return kind
		}
		last := words[len(words)-1]
		if !strings.ContainsAny(last, "0123456789") && last != "no" && last != "nr" && last != "#" && last != "n" && last != "number" {
			break
		}
		words = words[:len(words)-1]
	}
	return kindsByPhrase[strings.TrimSpace(title)]
}
