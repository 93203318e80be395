package generator

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"docledger/domain/calendar"
	"docledger/domain/money"
)

// Locale is how invoices of a country are written.
type Locale struct {
	Name               string
	currency, sign     string
	before             bool // the sign stands before the amount
	decimals           int
	point, grouping    string
	dates              func(calendar.Date) string
	numbers            []string
	rates              []int64
	sellers            []Party
	goods              []string
	iban               string
	words              map[string]string
	rightToLeft, latin bool
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
		Name: "en-US", currency: "USD", sign: "$", before: true, decimals: 2, point: ".", grouping: ",", dates: mdy, latin: true,
		numbers: []string{"INV-%05d", "%06d", "2024-%d"}, rates: []int64{8},
		sellers: []Party{party("Maple Tools Inc.", "12 Oak Street", "Portland, OR 97201", "93-1234567"), party("Granite Office LLC", "400 Main Ave", "Denver, CO 80202", "84-7654321"), party("Harbor Logistics Corp.", "9 Pier Road", "Seattle, WA 98101", "91-2223334")},
		goods:   []string{"Steel bracket", "Consulting", "Paper A4", "Annual license", "Drill bit set", "Site visit"},
		words:   words("title=INVOICE|number=Invoice Number|date=Invoice Date|due=Due Date|to=Bill To|from=From|description=Description|quantity=Qty|price=Unit Price|rate=Tax|amount=Amount|net=Subtotal|tax=Sales Tax|gross=Total|pay=Amount Due|paid=Amount Paid|taxid=EIN|customer=Customer No"),
	},
	{
		Name: "en-GB", currency: "GBP", sign: "£", before: true, decimals: 2, point: ".", grouping: ",", dates: named("D M Y", "January February March April May June July August September October November December"), latin: true,
		numbers: []string{"INV%05d", "SI-%04d"}, rates: []int64{20, 5},
		sellers: []Party{party("Thornfield Supplies Ltd", "3 Mill Lane", "Leeds LS1 4AP", "GB123456782"), party("Ashdown Print plc", "77 High Street", "Bristol BS1 5TR", "GB980780684"), party("Kestrel Works Limited", "5 Dock Road", "Hull HU1 2AA", "GB999999973")},
		goods:   []string{"Timber plank", "Printing service", "Safety gloves", "Oak panel", "Courier charge item"}, iban: "GB33BUKB20201555555555",
		words: words("title=Invoice|number=Invoice No|date=Invoice date|due=Payment due|to=Invoice to|from=Supplier|description=Item|quantity=Quantity|price=Price|rate=VAT %|amount=Net|net=Net total|tax=VAT|gross=Total incl. VAT|pay=Balance due|paid=Deposit|taxid=VAT Reg No|customer=Account no"),
	},
	{
		Name: "de-DE", currency: "EUR", sign: "€", decimals: 2, point: ",", grouping: ".", dates: dmy("."), latin: true,
		numbers: []string{"RE-2024-%04d", "2024%05d", "R%06d"}, rates: []int64{19, 7},
		sellers: []Party{party("Brenner Werkzeug GmbH", "Industriestr. 4", "70565 Stuttgart", "DE136695976"), party("Nordlicht Verlag AG", "Am Hafen 12", "20457 Hamburg", "DE129273398"), party("Weber & Söhne OHG", "Lindenallee 8", "50667 Köln", "DE811569869")},
		goods:   []string{"Bohrmaschine", "Wartung", "Papier weiß", "Schulung", "Kabel 5m"}, iban: "DE89370400440532013000",
		words: words("title=Rechnung|number=Rechnungsnummer|date=Rechnungsdatum|due=Fälligkeitsdatum|to=Rechnungsempfänger|from=Lieferant|description=Bezeichnung|quantity=Menge|price=Einzelpreis|rate=MwSt|amount=Gesamt|net=Nettobetrag|tax=MwSt|gross=Gesamtbetrag|pay=Zahlbetrag|paid=Anzahlung|taxid=USt-IdNr.|customer=Kundennummer"),
	},
	{
		Name: "fr-FR", currency: "EUR", sign: "€", decimals: 2, point: ",", grouping: " ", dates: dmy("/"), latin: true,
		numbers: []string{"FA-%05d", "F2024-%03d"}, rates: []int64{20, 10},
		sellers: []Party{party("Atelier Duval SARL", "8 rue des Lilas", "69003 Lyon", "FR83404833048"), party("Boulangerie Martin SAS", "15 avenue Foch", "75116 Paris", "FR40303265045"), party("Transports Leroy SA", "2 quai Sud", "13002 Marseille", "FR23334175221")},
		goods:   []string{"Table en chêne", "Prestation de conseil", "Livraison express", "Chaise", "Formation"}, iban: "FR1420041010050500013M02606",
		words: words("title=FACTURE|number=Facture n°|date=Date de facture|due=Date d'échéance|to=Facturé à|from=Fournisseur|description=Désignation|quantity=Quantité|price=Prix unitaire|rate=TVA|amount=Montant HT|net=Total HT|tax=TVA|gross=Total TTC|pay=Net à payer|paid=Acompte|taxid=N° TVA|customer=N° client"),
	},
	{
		Name: "es-ES", currency: "EUR", sign: "€", decimals: 2, point: ",", grouping: ".", dates: dmy("/"), latin: true,
		numbers: []string{"A/%04d", "FAC-%05d"}, rates: []int64{21, 10},
		sellers: []Party{party("Talleres Ibarra S.L.", "Calle Mayor 3", "28013 Madrid", "ESB58378431"), party("Cerámicas Sol S.A.", "Av. del Puerto 9", "46021 Valencia", "ESA28015865"), party("Hermanos Ruiz S.L.", "Plaza Nueva 1", "41001 Sevilla", "ESB12345674")},
		goods:   []string{"Azulejo blanco", "Servicio técnico", "Mesa de pino", "Instalación", "Silla"}, iban: "ES9121000418450200051332",
		words: words("title=Factura|number=Factura Nº|date=Fecha de factura|due=Fecha de vencimiento|to=Facturar a|from=Proveedor|description=Descripción|quantity=Cantidad|price=Precio|rate=IVA|amount=Importe|net=Base imponible|tax=IVA|gross=Total factura|pay=Total a pagar|paid=Anticipo|taxid=NIF|customer=Nº cliente"),
	},
	{
		Name: "it-IT", currency: "EUR", sign: "€", before: true, decimals: 2, point: ",", grouping: ".", dates: dmy("/"), latin: true,
		numbers: []string{"%d/2024", "FT-%04d"}, rates: []int64{22, 10},
		sellers: []Party{party("Officina Rossi S.r.l.", "Via Roma 10", "20121 Milano", "IT00743110157"), party("Cantina Verdi S.p.A.", "Via Garibaldi 2", "50123 Firenze", "IT00488410010"), party("Studio Bianchi S.n.c.", "Corso Italia 7", "10121 Torino", "IT12345670017")},
		goods:   []string{"Vino rosso", "Consulenza", "Lampada da tavolo", "Manutenzione", "Trapano"}, iban: "IT60X0542811101000000123456",
		words: words("title=FATTURA|number=Fattura n.|date=Data fattura|due=Scadenza|to=Cliente|from=Fornitore|description=Descrizione|quantity=Quantità|price=Prezzo|rate=IVA|amount=Importo|net=Imponibile|tax=IVA|gross=Totale fattura|pay=Totale da pagare|paid=Acconto|taxid=P.IVA|customer=Codice cliente"),
	},
	{
		Name: "nl-NL", currency: "EUR", sign: "€", before: true, decimals: 2, point: ",", grouping: ".", dates: dmy("-"), latin: true,
		numbers: []string{"F%06d", "2024.%04d"}, rates: []int64{21, 9},
		sellers: []Party{party("De Vries Techniek B.V.", "Kanaalweg 5", "3526 KL Utrecht", "NL004495445B01"), party("Bakker Groothandel B.V.", "Havenstraat 21", "1012 AB Amsterdam", "NL810433941B01"), party("Jansen Advies N.V.", "Markt 3", "5611 EC Eindhoven", "NL815254295B01")},
		goods:   []string{"Fietslamp", "Advies per uur", "Houten plank", "Montage", "Bureaustoel"}, iban: "NL91ABNA0417164300",
		words: words("title=FACTUUR|number=Factuurnummer|date=Factuurdatum|due=Vervaldatum|to=Factuuradres|from=Leverancier|description=Omschrijving|quantity=Aantal|price=Prijs|rate=BTW|amount=Bedrag|net=Totaal excl. BTW|tax=BTW|gross=Totaal incl. BTW|pay=Te betalen|paid=Aanbetaling|taxid=BTW-nummer|customer=Klantnummer"),
	},
	{
		Name: "pt-BR", currency: "BRL", sign: "R$", before: true, decimals: 2, point: ",", grouping: ".", dates: dmy("/"), latin: true,
		numbers: []string{"%08d", "FAT-%04d"}, rates: []int64{5},
		sellers: []Party{party("Comércio Andrade Ltda.", "Rua das Flores 100", "01310-100 São Paulo", "12.345.678/0001-95"), party("Serra Azul S.A.", "Av. Brasil 20", "20040-020 Rio de Janeiro", "98.765.432/0001-98"), party("Oficina Prado Ltda.", "Rua Nova 3", "30110-000 Belo Horizonte", "45.997.418/0001-53")},
		goods:   []string{"Parafuso", "Serviço de pintura", "Cadeira", "Transporte local", "Tinta branca"},
		words:   words("title=FATURA|number=Número da fatura|date=Data de emissão|due=Vencimento|to=Cliente|from=Emitente|description=Descrição|quantity=Quantidade|price=Preço unitário|rate=Imposto|amount=Valor total|net=Total líquido|tax=Imposto|gross=Total da fatura|pay=Valor a pagar|paid=Valor pago|taxid=CNPJ|customer=Código do cliente"),
	},
	{
		Name: "pl-PL", currency: "PLN", sign: "zł", decimals: 2, point: ",", grouping: " ", dates: dmy("."),
		numbers: []string{"FV/%d/2024", "FS %d/05/2024"}, rates: []int64{23, 8},
		sellers: []Party{party("Drewno Polskie Sp. z o.o.", "ul. Leśna 4", "00-950 Warszawa", "5261040828"), party("Mechanika Nowak S.A.", "ul. Długa 10", "31-147 Kraków", "7740001454"), party("Hurtownia Zielona Sp. z o.o.", "ul. Polna 1", "60-535 Poznań", "1060000062")},
		goods:   []string{"Deska sosnowa", "Usługa serwisowa", "Krzesło", "Farba biała", "Szkolenie"}, iban: "PL61109010140000071219812874",
		words: words("title=FAKTURA|number=Faktura nr|date=Data wystawienia|due=Termin płatności|to=Nabywca|from=Sprzedawca|description=Nazwa towaru|quantity=Ilość|price=Cena netto|rate=VAT|amount=Wartość netto|net=Razem netto|tax=VAT|gross=Razem brutto|pay=Do zapłaty|paid=Zapłacono|taxid=NIP|customer=Nr klienta"),
	},
	{
		Name: "el-GR", currency: "EUR", sign: "€", decimals: 2, point: ",", grouping: ".", dates: dmy("/"),
		numbers: []string{"ΤΙΜ-%05d", "Α-%04d"}, rates: []int64{24, 13},
		sellers: []Party{party("Δοκιμή Εμπορική Α.Ε.", "Λεωφόρος Νίκης 3", "10563 Αθήνα", "094014201"), party("Θάλασσα Ε.Π.Ε.", "Οδός Ερμού 8", "54623 Θεσσαλονίκη", "090000045"), party("Παράδειγμα Ο.Ε.", "Πλατεία Αγοράς 1", "26221 Πάτρα", "099999999")},
		goods:   []string{"Καρέκλα", "Υπηρεσία συμβούλου", "Ελαιόλαδο", "Τραπέζι"}, iban: "GR1601101250000000012300695",
		words: words("title=ΤΙΜΟΛΟΓΙΟ|number=Αριθμός τιμολογίου|date=Ημερομηνία έκδοσης|due=Ημερομηνία λήξης|to=Πελάτης|from=Προμηθευτής|description=Περιγραφή|quantity=Ποσότητα|price=Τιμή|rate=ΦΠΑ|amount=Αξία|net=Καθαρή αξία|tax=ΦΠΑ|gross=Γενικό σύνολο|pay=Πληρωτέο ποσό|paid=Προκαταβολή|taxid=ΑΦΜ|customer=Κωδικός πελάτη"),
	},
	{
		Name: "bg-BG", currency: "BGN", sign: "лв.", decimals: 2, point: ",", grouping: " ", dates: dmy("."),
		numbers: []string{"%010d", "Ф-%05d"}, rates: []int64{20, 9},
		sellers: []Party{party("Примерна Търговия ЕООД", "ул. Роза 4", "1000 София", "BG175074752"), party("Балкан Строй ООД", "бул. Дунав 9", "4000 Пловдив", "BG131071587"), party("Морски Услуги АД", "ул. Пристанищна 2", "9000 Варна", "BG103873594")},
		goods:   []string{"Дървена маса", "Консултантска услуга", "Стол", "Боя бяла"}, iban: "BG80BNBG96611020345678",
		words: words("title=ФАКТУРА|number=Фактура №|date=Дата на издаване|due=Срок за плащане|to=Получател|from=Доставчик|description=Описание|quantity=Количество|price=Ед. цена|rate=ДДС|amount=Стойност|net=Данъчна основа|tax=ДДС|gross=Общо с ДДС|pay=Сума за плащане|paid=Платено|taxid=ДДС №|customer=Клиентски номер"),
	},
	{
		Name: "ja-JP", currency: "JPY", sign: "円", decimals: 0, point: ".", grouping: ",", dates: named("Y年M月D日", "1 2 3 4 5 6 7 8 9 10 11 12"),
		numbers: []string{"2024-%04d", "INV-%05d"}, rates: []int64{10, 8},
		sellers: []Party{party("株式会社見本製作所", "東京都架空区見本町1-2", "〒100-0001 東京", "T1234567890123"), party("例示商事株式会社", "大阪市仮想区3-4", "〒530-0001 大阪", "T9876543210987"), party("有限会社サンプル", "京都市例町5", "〒600-8001 京都", "T1112223334445")},
		goods:   []string{"事務机", "設置作業", "コピー用紙", "保守契約"},
		words:   words("title=請求書|number=請求書番号|date=発行日|due=支払期限|to=請求先|from=発行元|description=品目|quantity=数量|price=単価|rate=税率|amount=金額|net=小計|tax=消費税|gross=合計金額|pay=ご請求金額|paid=入金額|taxid=登録番号|customer=お客様番号"),
	},
	{
		Name: "zh-CN", currency: "CNY", sign: "¥", before: true, decimals: 2, point: ".", grouping: ",", dates: named("Y年M月D日", "01 02 03 04 05 06 07 08 09 10 11 12"),
		numbers: []string{"%08d", "FP-%05d"}, rates: []int64{13, 6},
		sellers: []Party{party("上海样本科技有限公司", "浦东新区样本路1号", "200120 上海", "91310000MA1FL00001"), party("北京示例贸易有限公司", "朝阳区示例街2号", "100020 北京", "91110000MA0000002X"), party("深圳虚构电子有限公司", "南山区虚构道3号", "518000 深圳", "91440300MA5000003A")},
		goods:   []string{"办公桌", "安装服务", "打印纸", "软件许可"},
		words:   words("title=发票|number=发票号码|date=开票日期|due=付款期限|to=购买方|from=销售方|description=货物名称|quantity=数量|price=单价|rate=税率|amount=金额|net=不含税金额|tax=税额|gross=价税合计|pay=应付金额|paid=已付金额|taxid=纳税人识别号|customer=客户编号"),
	},
}
