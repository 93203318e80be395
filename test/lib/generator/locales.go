package generator

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"docledger/domain/calendar"
	"docledger/domain/money"
)

// Locale is the format of invoices in a country.
type Locale struct {
	Name            string
	currency, sign  string
	before          bool // the sign precedes the amount
	decimals        int
	point, grouping string
	dates           func(calendar.Date) string
	numbers         []string
	rates           []int64
	sellers         []Party
	goods           []string
	iban            string
	words           map[string]string
	others          []string // order date, order number, carried forward, article number, discount
}

func (l *Locale) most() int { return 8 }

func (l *Locale) price(r *rand.Rand) money.Decimal {
	if l.decimals == 0 {
		return money.FromInt(int64(10+r.IntN(5000)) * 10)
	}
	return money.MustParse(fmt.Sprintf("%d.%02d", 1+r.IntN(900), r.IntN(100)))
}

// amount writes an amount without currency.
func (l *Locale) amount(v money.Decimal) string {
	text := v.Round(l.decimals).String()
	if l.decimals > 0 && !strings.Contains(text, ".") {
		text += "." + strings.Repeat("0", l.decimals)
	}
	whole, fraction, _ := strings.Cut(text, ".")
	for len(fraction) < l.decimals {
		fraction += "0"
	}
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	var groups []string
	for len(whole) > 3 {
		groups = append([]string{whole[len(whole)-3:]}, groups...)
		whole = whole[:len(whole)-3]
	}
	out := sign + strings.Join(append([]string{whole}, groups...), l.grouping)
	if l.decimals > 0 {
		out += l.point + fraction
	}
	return out
}

// money writes an amount with its currency.
func (l *Locale) money(v money.Decimal) string {
	switch {
	case l.before && len(l.sign) > 2 && l.sign != "R$":
		return l.sign + " " + l.amount(v)
	case l.before:
		return l.sign + l.amount(v)
	case l.sign == "円" || l.sign == "元":
		return l.amount(v) + l.sign
	}
	return l.amount(v) + " " + l.sign
}

func dmy(sep string) func(calendar.Date) string {
	return func(d calendar.Date) string {
		return fmt.Sprintf("%02d%s%02d%s%04d", d.Day, sep, int(d.Month), sep, d.Year)
	}
}

func mdy(d calendar.Date) string { return fmt.Sprintf("%02d/%02d/%04d", int(d.Month), d.Day, d.Year) }

func named(format string, months string) func(calendar.Date) string {
	names := strings.Fields(months)
	return func(d calendar.Date) string {
		return strings.NewReplacer("D", fmt.Sprint(d.Day), "M", names[d.Month-1], "Y", fmt.Sprint(d.Year)).Replace(format)
	}
}

func words(list string) map[string]string {
	out := map[string]string{}
	for _, pair := range strings.Split(list, "|") {
		key, text, _ := strings.Cut(pair, "=")
		out[strings.TrimSpace(key)] = strings.TrimSpace(text)
	}
	return out
}

func party(name, street, town, tax string) Party { return Party{name, street, town, tax} }

var locales = []Locale{
	{
		Name: "en-US", currency: "USD", sign: "$", before: true, decimals: 2, point: ".", grouping: ",", dates: mdy,
		numbers: []string{"INV-%05d", "%06d", "2024-%d"}, rates: []int64{8},
		sellers: []Party{party("Maple Tools Inc.", "12 Oak Street", "Portland, OR 97201", "93-1234567"), party("Granite Office LLC", "400 Main Ave", "Denver, CO 80202", "84-7654321"), party("Harbor Logistics Corp.", "9 Pier Road", "Seattle, WA 98101", "91-2223334")},
		goods:   []string{"Steel bracket", "Consulting", "Paper A4", "Annual license", "Drill bit set", "Site visit"},
		others:  []string{"Order Date", "PO Number", "Carried forward", "Item Code", "Discount"}, words: words("credit=CREDIT MEMO|title=INVOICE|number=Invoice Number~Invoice #~INVOICE NO.|date=Invoice Date~Date~Issue Date|due=Due Date~Payment Due|to=Bill To~Billed To~Customer|from=From|description=Description|quantity=Qty|price=Unit Price|rate=Tax|amount=Amount|net=Subtotal~Net Amount|tax=Sales Tax~Tax|gross=Total~Grand Total~Invoice Total|pay=Amount Due~Balance Due|paid=Amount Paid|taxid=EIN|customer=Customer No"),
	},
	{
		Name: "en-GB", currency: "GBP", sign: "£", before: true, decimals: 2, point: ".", grouping: ",", dates: named("D M Y", "January February March April May June July August September October November December"),
		numbers: []string{"INV%05d", "SI-%04d"}, rates: []int64{20, 5},
		sellers: []Party{party("Thornfield Supplies Ltd", "3 Mill Lane", "Leeds LS1 4AP", "GB123456782"), party("Ashdown Print plc", "77 High Street", "Bristol BS1 5TR", "GB980780684"), party("Kestrel Works Limited", "5 Dock Road", "Hull HU1 2AA", "GB999999973")},
		goods:   []string{"Timber plank", "Printing service", "Safety gloves", "Oak panel", "Courier charge item"}, iban: "GB33BUKB20201555555555",
		others: []string{"Order date", "Your order no", "Carried forward", "Code", "Discount"}, words: words("credit=Credit note|title=Invoice|number=Invoice No|date=Invoice date|due=Payment due|to=Invoice to|from=Supplier|description=Item|quantity=Quantity|price=Price|rate=VAT %|amount=Net|net=Net total|tax=VAT|gross=Total incl. VAT|pay=Balance due|paid=Deposit|taxid=VAT Reg No|customer=Account no"),
	},
	{
		Name: "de-DE", currency: "EUR", sign: "€", decimals: 2, point: ",", grouping: ".", dates: dmy("."),
		numbers: []string{"RE-2024-%04d", "2024%05d", "R%06d"}, rates: []int64{19, 7},
		sellers: []Party{party("Brenner Werkzeug GmbH", "Industriestr. 4", "70565 Stuttgart", "DE136695976"), party("Nordlicht Verlag AG", "Am Hafen 12", "20457 Hamburg", "DE129273398"), party("Weber & Söhne OHG", "Lindenallee 8", "50667 Köln", "DE811569869")},
		goods:   []string{"Bohrmaschine", "Wartung", "Papier weiß", "Schulung", "Kabel 5m"}, iban: "DE89370400440532013000",
		others: []string{"Bestelldatum", "Bestellnummer", "Übertrag", "Art.-Nr.", "Rabatt"}, words: words("credit=Gutschrift|title=Rechnung|number=Rechnungsnummer~Rechnungs-Nr.~Rechnung Nr.|date=Rechnungsdatum~Datum~Belegdatum|due=Fälligkeitsdatum~Zahlbar bis~Fällig am|to=Rechnungsempfänger~Kunde~Rechnung an|from=Lieferant|description=Bezeichnung|quantity=Menge|price=Einzelpreis|rate=MwSt|amount=Gesamt|net=Nettobetrag~Summe netto~Zwischensumme|tax=MwSt~USt~zzgl. MwSt|gross=Gesamtbetrag~Rechnungsbetrag~Gesamt brutto|pay=Zahlbetrag|paid=Anzahlung|taxid=USt-IdNr.|customer=Kundennummer"),
	},
	{
		Name: "fr-FR", currency: "EUR", sign: "€", decimals: 2, point: ",", grouping: " ", dates: dmy("/"),
		numbers: []string{"FA-%05d", "F2024-%03d"}, rates: []int64{20, 10},
		sellers: []Party{party("Atelier Duval SARL", "8 rue des Lilas", "69003 Lyon", "FR83404833048"), party("Boulangerie Martin SAS", "15 avenue Foch", "75116 Paris", "FR40303265045"), party("Transports Leroy SA", "2 quai Sud", "13002 Marseille", "FR23334175221")},
		goods:   []string{"Table en chêne", "Prestation de conseil", "Livraison express", "Chaise", "Formation"}, iban: "FR1420041010050500013M02606",
		others: []string{"Date de commande", "N° de commande", "Report", "Réf", "Remise"}, words: words("credit=AVOIR|title=FACTURE|number=Facture n°~N° de facture~Numéro de facture|date=Date de facture~Date d'émission~Date|due=Date d'échéance~Échéance|to=Facturé à|from=Fournisseur|description=Désignation|quantity=Quantité|price=Prix unitaire|rate=TVA|amount=Montant HT|net=Total HT~Montant HT|tax=TVA~Montant TVA|gross=Total TTC~Montant TTC|pay=Net à payer|paid=Acompte|taxid=N° TVA|customer=N° client"),
	},
	{
		Name: "es-ES", currency: "EUR", sign: "€", decimals: 2, point: ",", grouping: ".", dates: dmy("/"),
		numbers: []string{"A/%04d", "FAC-%05d"}, rates: []int64{21, 10},
		sellers: []Party{party("Talleres Ibarra S.L.", "Calle Mayor 3", "28013 Madrid", "ESB58378431"), party("Cerámicas Sol S.A.", "Av. del Puerto 9", "46021 Valencia", "ESA28015865"), party("Hermanos Ruiz S.L.", "Plaza Nueva 1", "41001 Sevilla", "ESB12345674")},
		goods:   []string{"Azulejo blanco", "Servicio técnico", "Mesa de pino", "Instalación", "Silla"}, iban: "ES9121000418450200051332",
		others: []string{"Fecha de pedido", "Nº pedido", "Suma y sigue", "Código", "Descuento"}, words: words("credit=Factura rectificativa|title=Factura|number=Factura Nº~Número de factura|date=Fecha de factura~Fecha|due=Fecha de vencimiento~Vencimiento|to=Facturar a|from=Proveedor|description=Descripción|quantity=Cantidad|price=Precio|rate=IVA|amount=Importe|net=Base imponible|tax=IVA|gross=Total factura|pay=Total a pagar|paid=Anticipo|taxid=NIF|customer=Nº cliente"),
	},
	{
		Name: "it-IT", currency: "EUR", sign: "€", before: true, decimals: 2, point: ",", grouping: ".", dates: dmy("/"),
		numbers: []string{"%d/2024", "FT-%04d"}, rates: []int64{22, 10},
		sellers: []Party{party("Officina Rossi S.r.l.", "Via Roma 10", "20121 Milano", "IT00743110157"), party("Cantina Verdi S.p.A.", "Via Garibaldi 2", "50123 Firenze", "IT00488410010"), party("Studio Bianchi S.n.c.", "Corso Italia 7", "10121 Torino", "IT12345670017")},
		goods:   []string{"Vino rosso", "Consulenza", "Lampada da tavolo", "Manutenzione", "Trapano"}, iban: "IT60X0542811101000000123456",
		others: []string{"Data ordine", "Ordine n.", "Riporto", "Codice", "Sconto"}, words: words("credit=NOTA DI CREDITO|title=FATTURA|number=Fattura n.~Numero fattura|date=Data fattura~Data|due=Scadenza~Data scadenza|to=Cliente|from=Fornitore|description=Descrizione|quantity=Quantità|price=Prezzo|rate=IVA|amount=Importo|net=Imponibile|tax=IVA|gross=Totale fattura|pay=Totale da pagare|paid=Acconto|taxid=P.IVA|customer=Codice cliente"),
	},
	{
		Name: "nl-NL", currency: "EUR", sign: "€", before: true, decimals: 2, point: ",", grouping: ".", dates: dmy("-"),
		numbers: []string{"F%06d", "2024.%04d"}, rates: []int64{21, 9},
		sellers: []Party{party("De Vries Techniek B.V.", "Kanaalweg 5", "3526 KL Utrecht", "NL004495445B01"), party("Bakker Groothandel B.V.", "Havenstraat 21", "1012 AB Amsterdam", "NL810433941B01"), party("Jansen Advies N.V.", "Markt 3", "5611 EC Eindhoven", "NL815254295B01")},
		goods:   []string{"Fietslamp", "Advies per uur", "Houten plank", "Montage", "Bureaustoel"}, iban: "NL91ABNA0417164300",
		others: []string{"Orderdatum", "Ordernummer", "Transport naar", "Code", "Korting"}, words: words("credit=CREDITNOTA|title=FACTUUR|number=Factuurnummer~Factuurnr.|date=Factuurdatum~Datum|due=Vervaldatum~Uiterste betaaldatum|to=Factuuradres|from=Leverancier|description=Omschrijving|quantity=Aantal|price=Prijs|rate=BTW|amount=Bedrag|net=Totaal excl. BTW|tax=BTW|gross=Totaal incl. BTW~Totaal~Totaalbedrag|pay=Te betalen|paid=Aanbetaling|taxid=BTW-nummer|customer=Klantnummer"),
	},
	{
		Name: "pt-BR", currency: "BRL", sign: "R$", before: true, decimals: 2, point: ",", grouping: ".", dates: dmy("/"),
		numbers: []string{"%08d", "FAT-%04d"}, rates: []int64{5},
		sellers: []Party{party("Comércio Andrade Ltda.", "Rua das Flores 100", "01310-100 São Paulo", "12.345.678/0001-95"), party("Serra Azul S.A.", "Av. Brasil 20", "20040-020 Rio de Janeiro", "98.765.432/0001-98"), party("Oficina Prado Ltda.", "Rua Nova 3", "30110-000 Belo Horizonte", "45.997.418/0001-53")},
		goods:   []string{"Parafuso", "Serviço de pintura", "Cadeira", "Transporte local", "Tinta branca"},
		others:  []string{"Data do pedido", "Número do pedido", "A transportar", "Código", "Desconto"}, words: words("credit=Nota de crédito|title=FATURA|number=Número da fatura|date=Data de emissão|due=Vencimento|to=Cliente|from=Emitente|description=Descrição|quantity=Quantidade|price=Preço unitário|rate=Imposto|amount=Valor total|net=Total líquido|tax=Imposto|gross=Total da fatura|pay=Valor a pagar|paid=Valor pago|taxid=CNPJ|customer=Código do cliente"),
	},
	{
		Name: "en-IE", currency: "EUR", sign: "€", before: true, decimals: 2, point: ".", grouping: ",", dates: dmy("/"),
		numbers: []string{"INV%05d", "%d"}, rates: []int64{23, 9},
		sellers: []Party{party("Shannon Dairy Ltd", "4 River Walk", "Limerick", "IE6388047V"), party("Claddagh Foods plc", "22 Quay Street", "Galway", "IE3628739L"), party("Liffey Design Limited", "8 Bridge Court", "Dublin 8", "IE9825613N")},
		goods:   []string{"Butter", "Web design", "Cheese wheel", "Print run"}, iban: "IE29AIBK93115212345678",
		others: []string{"Order date", "PO number", "Carried forward", "Code", "Discount"}, words: words("credit=CREDIT NOTE|title=INVOICE|number=Invoice No.|date=Date~Invoice date|due=Due date|to=To~Customer|from=From|description=Details|quantity=Qty|price=Rate|rate=VAT|amount=Amount|net=Net~Total excl. VAT|tax=VAT|gross=Total|pay=Balance due|paid=Paid|taxid=VAT No|customer=Account"),
	},
	{
		Name: "de-CH", currency: "CHF", sign: "CHF", before: true, decimals: 2, point: ".", grouping: "'", dates: dmy("."),
		numbers: []string{"RG-%05d", "20%06d"}, rates: []int64{8, 3},
		sellers: []Party{party("Alpen Technik AG", "Bergstrasse 3", "8001 Zürich", "CHE-116.281.710 MWST"), party("Seeblick Druck GmbH", "Uferweg 9", "6003 Luzern", "CHE-109.322.551 MWST"), party("Matter Holzbau AG", "Dorfplatz 2", "3920 Zermatt", "CHE-107.787.577 MWST")},
		goods:   []string{"Holzlatte", "Druckauftrag", "Beratung", "Schraube M8"}, iban: "CH9300762011623852957",
		others: []string{"Bestelldatum", "Bestellnummer", "Übertrag", "Art.-Nr.", "Rabatt"}, words: words("credit=Gutschrift|title=Rechnung|number=Rechnungsnummer|date=Datum|due=Zahlbar bis|to=Kunde|from=Lieferant|description=Artikel|quantity=Menge|price=Preis|rate=MWST|amount=Betrag|net=Total exkl. MWST~Zwischensumme|tax=MWST|gross=Total inkl. MWST~Rechnungstotal|pay=Zu zahlen|paid=Anzahlung|taxid=MWST-Nr.|customer=Kundennummer"),
	},
	{
		Name: "sv-SE", currency: "SEK", sign: "kr", decimals: 2, point: ",", grouping: " ", dates: func(d calendar.Date) string { return d.String() },
		numbers: []string{"%05d", "F-%04d"}, rates: []int64{25, 12},
		sellers: []Party{party("Svensk Träteknik AB", "Storgatan 4", "111 51 Stockholm", "SE556012579001"), party("Malmö Möbler AB", "Hamngatan 2", "211 22 Malmö", "SE556036079301"), party("Norrland Bygg AB", "Skogsvägen 7", "903 26 Umeå", "SE556074308901")},
		goods:   []string{"Ekskiva", "Montering", "Bordsben", "Rådgivning"}, iban: "SE4550000000058398257466",
		others: []string{"Orderdatum", "Ordernummer", "Transport", "Kod", "Rabatt"}, words: words("credit=KREDITFAKTURA|title=FAKTURA|number=Fakturanummer~Fakturanr|date=Fakturadatum|due=Förfallodatum|to=Kund|from=Leverantör|description=Beskrivning|quantity=Antal|price=Pris|rate=Moms|amount=Belopp|net=Netto~Summa exkl. moms|tax=Moms|gross=Summa inkl. moms~Totalt|pay=Att betala|paid=Betalt|taxid=Momsreg.nr|customer=Kundnummer"),
	},
	{
		Name: "pl-PL", currency: "PLN", sign: "zł", decimals: 2, point: ",", grouping: " ", dates: dmy("."),
		numbers: []string{"FV/%d/2024", "FS %d/05/2024"}, rates: []int64{23, 8},
		sellers: []Party{party("Drewno Polskie Sp. z o.o.", "ul. Leśna 4", "00-950 Warszawa", "5261040828"), party("Mechanika Nowak S.A.", "ul. Długa 10", "31-147 Kraków", "7740001454"), party("Hurtownia Zielona Sp. z o.o.", "ul. Polna 1", "60-535 Poznań", "1060000062")},
		goods:   []string{"Deska sosnowa", "Usługa serwisowa", "Krzesło", "Farba biała", "Szkolenie"}, iban: "PL61109010140000071219812874",
		others: []string{"Data zamówienia", "Nr zamówienia", "Do przeniesienia", "Kod", "Rabat"}, words: words("credit=FAKTURA KORYGUJĄCA|title=FAKTURA|number=Faktura nr|date=Data wystawienia|due=Termin płatności|to=Nabywca|from=Sprzedawca|description=Nazwa towaru|quantity=Ilość|price=Cena netto|rate=VAT|amount=Wartość netto|net=Razem netto|tax=VAT|gross=Razem brutto|pay=Do zapłaty|paid=Zapłacono|taxid=NIP|customer=Nr klienta"),
	},
	{
		Name: "el-GR", currency: "EUR", sign: "€", decimals: 2, point: ",", grouping: ".", dates: dmy("/"),
		numbers: []string{"ΤΙΜ-%05d", "Α-%04d"}, rates: []int64{24, 13},
		sellers: []Party{party("Δοκιμή Εμπορική Α.Ε.", "Λεωφόρος Νίκης 3", "10563 Αθήνα", "094014201"), party("Θάλασσα Ε.Π.Ε.", "Οδός Ερμού 8", "54623 Θεσσαλονίκη", "090000045"), party("Παράδειγμα Ο.Ε.", "Πλατεία Αγοράς 1", "26221 Πάτρα", "099999999")},
		goods:   []string{"Καρέκλα", "Υπηρεσία συμβούλου", "Ελαιόλαδο", "Τραπέζι"}, iban: "GR1601101250000000012300695",
		others: []string{"Ημερομηνία παραγγελίας", "Αρ. παραγγελίας", "Εκ μεταφοράς", "Κωδικός", "Έκπτωση"}, words: words("credit=ΠΙΣΤΩΤΙΚΟ ΤΙΜΟΛΟΓΙΟ|title=ΤΙΜΟΛΟΓΙΟ|number=Αριθμός τιμολογίου|date=Ημερομηνία έκδοσης|due=Ημερομηνία λήξης|to=Πελάτης|from=Προμηθευτής|description=Περιγραφή|quantity=Ποσότητα|price=Τιμή|rate=ΦΠΑ|amount=Αξία|net=Καθαρή αξία|tax=ΦΠΑ|gross=Γενικό σύνολο|pay=Πληρωτέο ποσό|paid=Προκαταβολή|taxid=ΑΦΜ|customer=Κωδικός πελάτη"),
	},
	{
		Name: "bg-BG", currency: "BGN", sign: "лв.", decimals: 2, point: ",", grouping: " ", dates: dmy("."),
		numbers: []string{"%010d", "Ф-%05d"}, rates: []int64{20, 9},
		sellers: []Party{party("Примерна Търговия ЕООД", "ул. Роза 4", "1000 София", "BG175074752"), party("Балкан Строй ООД", "бул. Дунав 9", "4000 Пловдив", "BG131071587"), party("Морски Услуги АД", "ул. Пристанищна 2", "9000 Варна", "BG103873594")},
		goods:   []string{"Дървена маса", "Консултантска услуга", "Стол", "Боя бяла"}, iban: "BG80BNBG96611020345678",
		others: []string{"Дата на поръчка", "Поръчка", "За пренос", "Код", "Отстъпка"}, words: words("credit=КРЕДИТНО ИЗВЕСТИЕ|title=ФАКТУРА|number=Фактура №|date=Дата на издаване|due=Срок за плащане|to=Получател|from=Доставчик|description=Описание|quantity=Количество|price=Ед. цена|rate=ДДС|amount=Стойност|net=Данъчна основа|tax=ДДС|gross=Общо с ДДС|pay=Сума за плащане|paid=Платено|taxid=ДДС №|customer=Клиентски номер"),
	},
	{
		Name: "ja-JP", currency: "JPY", sign: "円", decimals: 0, point: ".", grouping: ",", dates: named("Y年M月D日", "1 2 3 4 5 6 7 8 9 10 11 12"),
		numbers: []string{"2024-%04d", "INV-%05d"}, rates: []int64{10, 8},
		sellers: []Party{party("株式会社見本製作所", "東京都架空区見本町1-2", "〒100-0001 東京", "T1234567890123"), party("例示商事株式会社", "大阪市仮想区3-4", "〒530-0001 大阪", "T9876543210987"), party("有限会社サンプル", "京都市例町5", "〒600-8001 京都", "T1112223334445")},
		goods:   []string{"事務机", "設置作業", "コピー用紙", "保守契約"},
		others:  []string{"注文日", "注文番号", "繰越", "コード", "値引"}, words: words("title=請求書|number=請求書番号|date=発行日|due=支払期限|to=請求先|from=発行元|description=品目|quantity=数量|price=単価|rate=税率|amount=金額|net=小計|tax=消費税|gross=合計金額|pay=ご請求金額|paid=入金額|taxid=登録番号|customer=お客様番号"),
	},
	{
		Name: "zh-CN", currency: "CNY", sign: "¥", before: true, decimals: 2, point: ".", grouping: ",", dates: named("Y年M月D日", "01 02 03 04 05 06 07 08 09 10 11 12"),
		numbers: []string{"%08d", "FP-%05d"}, rates: []int64{13, 6},
		sellers: []Party{party("上海样本科技有限公司", "浦东新区样本路1号", "200120 上海", "91310000MA1FL00001"), party("北京示例贸易有限公司", "朝阳区示例街2号", "100020 北京", "91110000MA0000002X"), party("深圳虚构电子有限公司", "南山区虚构道3号", "518000 深圳", "91440300MA5000003A")},
		goods:   []string{"办公桌", "安装服务", "打印纸", "软件许可"},
		others:  []string{"订单日期", "订单号", "承前页", "商品编码", "折扣"}, words: words("title=发票|number=发票号码|date=开票日期|due=付款期限|to=购买方|from=销售方|description=货物名称|quantity=数量|price=单价|rate=税率|amount=金额|net=不含税金额|tax=税额|gross=价税合计|pay=应付金额|paid=已付金额|taxid=纳税人识别号|customer=客户编号"),
	},
}
