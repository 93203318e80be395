package textrules

import (
	"maps"
	"slices"
	"strings"
)

// Column is what a column of the table of lines holds.
type Column string

// The columns.
const (
	ColumnPosition    Column = "position"
	ColumnCode        Column = "code"
	ColumnDescription Column = "description"
	ColumnQuantity    Column = "quantity"
	ColumnUnit        Column = "unit"
	ColumnPrice       Column = "price"
	ColumnDiscount    Column = "discount"
	ColumnTaxRate     Column = "tax_rate"
	ColumnTaxAmount   Column = "tax_amount"
	ColumnAmount      Column = "amount"
	ColumnGross       Column = "gross"
	ColumnDate        Column = "date"
)

// heads are the headings of columns, in the languages of phrases.
var heads = map[Column]string{
	ColumnPosition: `#|pos|no|line|lp|nr|n|item no|poz|α α|№|행|行|番号|序号|م|ligne|l p|s no|sr no|sl no|position`,
	ColumnCode:     `item code|code|sku|article no|item number|product code|art nr|artikelnummer|artikel nr|art nr kunde|art nr lief|reference|ref|codigo|codice|kod|gtin|ean|isbn|part no|product no|artikelnr|pkwiu|cn|hsn|hsn sac|κωδικοσ|код|商品コード|商品编码|code article|art|bestell nr|unsere art nr|item #|规格型号`,
	ColumnDescription: `description|item|items|product|products|service|services|details|particulars|product description|item description|description of goods|goods|activity|product service|work description|task|item name|article
		|beschreibung|bezeichnung|artikel|artikelbeschreibung|artikelbezeichnung|leistung|produkt|produktbeschreibung|leistungsbeschreibung|ware|text
		|designation|libelle|produit|produits|prestation|intitule|nom designation|article designation|descripcion|concepto|producto|articulo|detalle|descrizione|articolo|prodotto|omschrijving|product|artikel omschrijving|descricao|produto|servico|designacao|discriminacao|artigo
		|nazwa towaru|nazwa towaru lub uslugi|nazwa|opis|towar|usluga|nazwa uslugi|nazwa towaru uslugi|beskrivelse|beskrivning|benamning|varebeskrivelse|ydelse|vare|kuvaus|tuote|popis|nazev|megnevezes|denumire|denumirea produselor
		|περιγραφη|ειδοσ|περιγραφη ειδουσ|υπηρεσια|описание|наименование|стока|наименование на стоката|наименование на стоките и услугите|наименование на стоката услугата|услуга|品目|品名|商品名|内容|件名|摘要|项目|项目名称|货物名称|货物或应税劳务|商品名称|名称|服务名称|货物或应税劳务 服务名称|货物或应税劳务名称|الوصف|البيان|الصنف|الخدمة|المنتج`,
	ColumnQuantity: `quantity|qty|hours|units|qty hr|hrs|no of units|pcs|hrs qty|quantity hours|menge|anzahl|stunden|std|stuck|anz|quantite|qte|nombre|cantidad|cant|uds|unidades|quantita|qta|aantal|hoeveelheid|quantidade|qtd|qtde|quant|ilosc|antall|antal|maara|kpl|mnozstvi|mennyiseg|cantitate|cant|ποσοτητα|ποσ|τεμ|количество|кол во|к во|кол|брой|数量|個数|الكمية|العدد`,
	ColumnUnit:     `unit|um|uom|unit of measure|einheit|meng einheit|me|mengeneinheit|unite|unidad|unita|u m|eenheid|unidade|un|jm|j m|jedn|enhet|enhed|yksikko|mj|μ μ|μον|мярка|ед|м ка|单位|単位|الوحدة`,
	ColumnPrice: `unit price|price|rate|unit cost|price each|each|cost|price unit|price w o tax|hourly rate|unit price net|price per unit|net price|unit rate
		|einzelpreis|preis|e preis|stuckpreis|vk preis|nettopreis|preis einheit|einzelpreis netto|ep|preis netto|stundensatz|einzel|preis stk|prix unitaire|prix|p u|p u ht|prix unitaire ht|pu ht|prix u|pu|prix unit|prix ht unitaire|tarif|precio|precio unitario|precio unidad|p unitario|prezzo|prezzo unitario|p unit|importo unitario|prijs|stukprijs|prijs per stuk|eenheidsprijs|tarief|prijs excl|per stuk|preco|preco unitario|valor unitario|preco unit|vlr unit|valor unit|pr unitario
		|cena|cena netto|cena jednostkowa|cena jednostkowa netto|cena brutto|cena jedn netto|cena jedn|cena j|pris|enhetspris|a pris|apris|stykpris|hinta|a hinta|yksikkohinta|cena za mj|egysegar|pret unitar|pret|τιμη|τιμη μοναδασ|τιμη μον|αξια μοναδασ|цена|ед цена|единична цена|цена без ддс|единична|単価|单价|سعر الوحدة|السعر|سعر`,
	ColumnDiscount:  `discount|disc|disc %|discount %|rabatt|rabatt %|rab|remise|rem|dto|descuento|sconto|korting|desconto|rabat|alennus|εκπτωση|εκπτ|отстъпка|値引|折扣|الخصم|cena po rabacie|remise charge`,
	ColumnTaxRate:   `vat|tax|vat %|tax %|tax rate|vat rate|gst|gst %|taxes|mwst|ust|ust %|mwst %|mwst satz|ust satz|steuersatz|steuer|tva|tva %|taux tva|taux|iva|iva %|tipo iva|% iva|aliquota|btw|btw %|btw tarief|imposto|taxa|taxa iva|vat [%]|stawka vat|stawka|% vat|moms|moms %|mva|mva %|alv|alv %|dph|dph %|afa|cota tva|φπα|φπα %|ддс|ддс %|税率|消費税率|الضريبة|نسبة الضريبة|ضريبة`,
	ColumnTaxAmount: `vat amount|tax amount|amount of tax|mwst betrag|steuerbetrag|montant tva|importe iva|kwota vat|btw bedrag|momsbelop|ποσο φπα|αξια φπα|размер на ддс|税額|税额|消費税額|مبلغ الضريبة|قيمة الضريبة|wartosc vat|imposta`,
	ColumnAmount: `amount|total|line total|subtotal|net amount|net|total price|extended price|ext price|value|net total|total amount|sum|line amount|extension|amount usd|amount eur|amount gbp|total net|net value|total excl vat|charge
		|betrag|gesamt|gesamtpreis|summe|zeilenbetrag|nettobetrag|nettowert|gesamtbetrag|g preis|gesamt netto|entgelt|betrag netto|positionsbetrag|gp|netto|gesamt eur|betrag eur
		|montant|montant ht|total ht|prix ht|prix total|total|prix total ht|importe|importe neto|total linea|importo|totale|prezzo totale|importo netto|totale netto|bedrag|totaal|totaal excl|totaalprijs|subtotaal|prijs incl btw|bedrag excl|valor|valor total|total liquido|montante|vlr total|preco total|valor liquido
		|wartosc netto|wartosc|razem|kwota|wartosc netto pln|belop|belopp|belob|summa|sum|totalt|netto belop|yhteensa|summa netto|cena celkem|celkem|ertek|netto ertek|valoare
		|αξια|συνολο|ποσο|καθαρη αξια|συνολικη αξια|стойност|сума|общо|стойност без ддс|обща стойност|общо без ддс|金額|小計|金额|总价|总额|小计|المبلغ|الإجمالي|المجموع|الاجمالي|القيمة`,
	ColumnGross: `gross|gross amount|total incl vat|total inc vat|gross total|total with tax|brutto|bruttobetrag|total ttc|montant ttc|wartosc brutto|totaal incl|totaal incl btw|bedrag incl|valor com iva|税込金額|总额含税|الإجمالي شامل الضريبة|συνολο με φπα|стойност с ддс|total com iva|total con iva`,
	ColumnDate:  `date|datum|fecha|data|dato|ημερομηνια|дата|日付|日期|التاريخ`,
}

type head struct {
	words  []string
	column Column
}

var headsByWord, solidHeads = compileHeads()

func compileHeads() (map[string][]head, map[string]Column) {
	byWord, solid := map[string][]head{}, map[string]Column{}
	for _, column := range slices.Sorted(maps.Keys(heads)) {
		for _, entry := range strings.FieldsFunc(heads[column], func(r rune) bool { return r == '|' || r == '\n' }) {
			entry = strings.TrimSpace(entry)
			if IsIdeographic(entry) {
				solid[strings.ReplaceAll(entry, " ", "")] = column
				continue
			}
			if words := Words(entry); len(words) > 0 {
				byWord[words[0]] = append(byWord[words[0]], head{words, column})
			}
		}
	}
	return byWord, solid
}

// Head is the heading of a column among the words of a text.
type Head struct {
	Column   Column
	From, To int // tokens
}

// FindHeads returns the headings of columns in a text as parted by Tokens, the
// longest at each place.
func FindHeads(text string, tokens []Token) []Head {
	var out []Head
	if column, ok := solidHeads[strings.Map(dropSpace, text)]; ok {
		return []Head{{column, 0, len(tokens)}}
	}
	for i := 0; i < len(tokens); {
		size, column := 0, Column("")
		for _, h := range headsByWord[tokens[i].Text] {
			if len(h.words) <= len(tokens)-i && len(h.words) > size && slices.EqualFunc(h.words, tokens[i:i+len(h.words)], func(w string, t Token) bool { return w == t.Text }) {
				size, column = len(h.words), h.column
			}
		}
		if size == 0 {
			i++
			continue
		}
		out = append(out, Head{column, i, i + size})
		i += size
	}
	return out
}

func dropSpace(r rune) rune {
	if r == ' ' || r == ':' || r == '/' || r == '・' {
		return -1
	}
	return r
}
