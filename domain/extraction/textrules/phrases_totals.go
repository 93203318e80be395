package textrules

// The phrases of totals; see phrases.
const (
	netPhrases = `net total|total net|net amount|net|total excl vat|total excluding vat|total ex vat|total exc vat|excl vat|ex vat|amount excl vat|total without tax|taxable amount|taxable total|amount before tax|total before tax|subtotal less discount|less discount|subtotal excl vat|total excl tax|tax exclusive amount|total ex tax|subtotal ex gst|total excl gst|untaxed amount|untaxed|invoice net|net value|total net amount|subtotal excluding vat|net invoice total
		|nettobetrag|netto|netto betrag|summe netto|nettosumme|netto summe|gesamt netto|gesamtbetrag netto|netto gesamt|nettogesamt|gesamtnetto|rechnungssumme netto|rechnungsbetrag netto|zwischensumme netto|summe ohne mwst|total netto|betrag netto|nettowarenwert|gesamtsumme netto|netto gesamtbetrag|total exkl mwst|summe exkl ust|total ohne mwst
		|total ht|montant ht|total hors taxes|total hors taxe|total h t|montant total ht|net ht|total net ht|sous total ht|base ht
		|base imponible|importe neto|total neto|total sin iva|subtotal sin iva|total base imponible|suma base imponible|neto
		|imponibile|totale imponibile|netto|totale netto|totale merce|totale senza iva|totale imponibile netto
		|totaal excl btw|totaal exclusief btw|exclusief btw|excl btw|subtotaal excl btw|netto bedrag|nettobedrag|bedrag excl btw|totaal ex btw|totaal netto|subtotaal exclusief btw
		|total liquido|valor liquido|total sem iva|total iliquido|incidencia|base tributavel|base de incidencia|valor tributavel|total s iva
		|wartosc netto|razem netto|suma netto|kwota netto|lacznie netto|ogolem netto|netto razem
		|netto|sum eks mva|sum ekskl moms|exkl moms|ekskl moms|summa exkl moms|total ekskl moms|veroton|veroton yhteensa|verollinen ilman alv|yhteensa ilman alv|celkem bez dph|zaklad dane|netto osszesen|total fara tva|belopp fore moms|momsgrundlag|total eks mva
		|καθαρη αξια|συνολο χωρισ φπα|αξια προ φπα|καθαρο ποσο|συνολο καθαρησ αξιασ|καθαρη αξια συνολο|συνολικη καθαρη αξια
		|данъчна основа|сума без ддс|общо без ддс|стойност без ддс|нетна сума|общо данъчна основа|нето
		|税抜合計|税抜金額|税抜|税抜き合計|税抜小計|不含税金额|不含税合计|金额合计|المجموع قبل الضريبة|الإجمالي قبل الضريبة|الاجمالي قبل الضريبة|المبلغ قبل الضريبة|الإجمالي غير شامل الضريبة|الإجمالي الخاضع للضريبة|الإجمالي بدون الضريبة`
	taxPhrases = `vat|tax|sales tax|gst|hst|pst|tax rate|plus vat|incl vat|state tax|vat @|tax @|igst|cgst|sgst
		|mwst|ust|mehrwertsteuer|umsatzsteuer|zzgl mwst|zzgl ust|zzgl umsatzsteuer|zuzuglich mwst|zuzuglich ust|zuzuglich umsatzsteuer|inkl mwst|enthaltene mwst|enthaltene umsatzsteuer|plus mwst|mwst betrag|ust betrag|umsatzsteuerbetrag|steuerbetrag|steuer
		|tva|t v a|montant tva|dont tva|taxe
		|iva|i v a|cuota iva|importe iva|cuota|impuesto|igic
		|imposta|importo iva
		|btw|btw bedrag|btw hoog|btw laag
		|imposto|valor iva|iss|icms
		|podatek|podatek vat|kwota vat|stawka vat|ptu
		|moms|mva|merverdiavgift|alv|arvonlisavero|dph|afa|hvoraf moms
		|φπα|φ π α|ποσο φπα|αξια φπα
		|ддс|размер на ддс|начислен ддс
		|消費税|消費税額|税額|税额|增值税|ضريبة القيمة المضافة|الضريبة|ضريبة`
	taxTotalPhrases = `total vat|vat total|tax total|total tax|total taxes|vat amount|tax amount|total sales tax|total gst|total vat amount
		|summe mwst|summe ust|gesamt mwst|mwst gesamt|ust gesamt|steuer gesamt|gesamtsteuer|mehrwertsteuer gesamt|summe umsatzsteuer|gesamtbetrag mwst|steuersumme
		|total tva|total taxes|total des taxes|montant total tva|montant tva total|total iva|iva total|total cuota|total impuestos|totale iva|totale imposta|iva totale|totaal btw|btw totaal|total de iva|total do iva|total imposto|razem vat|suma vat|vat razem|kwota vat razem|lacznie vat|sum mva|moms total|total moms|summa moms|momsbelop|alv yhteensa|dph celkem|afa osszesen
		|συνολο φπα|συνολικο φπα|φπα συνολο|общо ддс|ддс общо|消費税合計|消費税等合計|消費税額合計|税额合计|合计税额|إجمالي الضريبة|إجمالي ضريبة القيمة المضافة|مجموع الضريبة`
	grossPhrases = `grand total|total incl vat|total including vat|total inc vat|total amount|invoice total|total invoice|gross total|total gross|gross amount|gross|total with tax|total incl tax|total including tax|amount total|tax inclusive amount|total invoice amount|total for this invoice|total inc gst|total incl gst|invoice amount|total sum|total value|total price|total credit|total credited|total incl|total usd|total eur|total gbp|total chf
		|gesamtbetrag|rechnungsbetrag|bruttobetrag|gesamtsumme|rechnungssumme brutto|gesamt brutto|summe brutto|brutto gesamt|bruttosumme|endbetrag|endsumme|gesamtbetrag brutto|rechnungssumme|total inkl mwst|gesamt inkl mwst|betrag inkl mwst|netto inkl mwst|total brutto|brutto betrag|rechnungsendbetrag|rechnungsbetrag brutto|rechnungsgesamtbetrag|gesamtsumme brutto|summe inkl mwst|gutschriftsbetrag|gutschriftbetrag|gesamtbetrag inkl mwst|gesamtbetrag inkl ust|rechnungstotal|total inkl mehrwertsteuer|gesamttotal|rechnung total|total inkl ust
		|total ttc|montant ttc|total t t c|montant total ttc|toutes taxes comprises|total toutes taxes comprises|total facture|montant total|total general|montant de la facture
		|total factura|importe total|total con iva|total iva incluido|total a facturar|total documento|total de la factura|total general
		|totale fattura|totale documento|totale complessivo|totale ivato|totale iva inclusa|totale con iva|importo totale|totale generale|totale da fatturare
		|totaal incl btw|totaal inclusief btw|inclusief btw|incl btw|totaalbedrag|factuurbedrag|factuur totaal|totaalbedrag incl btw|totaal factuur|eindtotaal|totaal generaal|factuurtotaal|totaalbedrag inclusief btw|creditbedrag
		|total da fatura|valor total|total com iva|total do documento|total c iva|total fatura|valor total da nota|total da nota|total geral|valor total da fatura
		|wartosc brutto|razem brutto|suma brutto|kwota brutto|lacznie brutto|ogolem brutto|brutto razem|razem wartosc brutto|kwota ogolem
		|sum inkl mva|total inkl moms|summa inkl moms|inkl moms|totalt|totalsum|totalbelop|totalbelob|laskun summa|verollinen yhteensa|loppusumma|celkem s dph|brutto osszesen|total cu tva|fakturatotal|fakturabelopp|att betala totalt|belob i alt
		|συνολικη αξια|συνολο με φπα|γενικο συνολο|τελικο συνολο|τελικη αξια|συνολικο ποσο|συνολο τιμολογιου
		|общо с ддс|обща сума|крайна сума|всичко с ддс|стойност с ддс|общо с включен ддс
		|税込合計|税込金額|総合計|合計金額|総額|ご請求合計|价税合计|含税总额|含税合计|总金额|金额总计|合计金额|الإجمالي شامل الضريبة|الاجمالي شامل الضريبة|المجموع الكلي|الإجمالي الكلي|المجموع شامل الضريبة|إجمالي الفاتورة|إجمالي المبلغ`
	duePhrases = `amount due|wahrung betrag|monnaie montant|valuta importo|currency amount|total due|balance due|total amount due|amount payable|total payable|payable amount|balance|due payable|to pay|total to pay|please pay|amount to pay|invoice balance|net payable|balance to pay|residual|amount owing|outstanding amount|amount outstanding|due amount|pay this amount|total now due
		|zahlbetrag|zu zahlen|zu zahlender betrag|falliger betrag|zahlungsbetrag|offener betrag|restbetrag|noch zu zahlen|zu zahlender gesamtbetrag|forderungsbetrag|uberweisungsbetrag|zu bezahlen|betrag fallig|gesamtbetrag fallig
		|net a payer|a payer|montant a payer|reste a payer|solde a payer|montant du|total a payer|solde du|solde|net a payer ttc|restant du
		|total a pagar|importe a pagar|a pagar|pendiente de pago|total pendiente|liquido a pagar|saldo pendiente|importe pendiente
		|totale da pagare|netto a pagare|importo dovuto|da pagare|totale dovuto|saldo da pagare|importo da pagare|totale a pagare
		|te betalen|te betalen bedrag|totaal te betalen|openstaand bedrag|nog te betalen|te voldoen|bedrag te betalen|door u te betalen
		|valor a pagar|total a liquidar|montante a pagar|a liquidar|saldo devedor|valor devido
		|do zaplaty|razem do zaplaty|kwota do zaplaty|pozostalo do zaplaty|naleznosc ogolem|kwota naleznosci|lacznie do zaplaty|suma do zaplaty|naleznosc|do zaplaty razem
		|att betala|a betale|til betaling|belop a betale|at betale|maksettava|maksettavaa|yhteensa maksettava|k uhrade|celkem k uhrade|fizetendo|fizetendo osszesen|de plata|total de plata|saldo
		|πληρωτεο ποσο|πληρωτεο|ποσο πληρωμησ|συνολο πληρωτεο|υπολοιπο|τελικο πληρωτεο
		|сума за плащане|за плащане|дължима сума|общо за плащане|сума за плащане общо|всичко за плащане
		|ご請求金額|請求金額|ご請求額|お支払金額|お支払い金額|今回請求額|差引請求額|应付金额|应付总额|应付款|应付合计|المبلغ المستحق|الإجمالي المستحق|الاجمالي المستحق|إجمالي المبلغ المستحق|المبلغ الإجمالي المستحق|صافي المستحق`
	taxIDPhrases = `vat number|vat no|vat id|vat reg no|vat registration no|vat registration number|vat reg|vat identification number|vat registration|tax id|tax id no|ein|fein|tin|abn|gst no|gst number|gstin|gst reg no|gst registration no|tax registration number|tax registration no|trn|federal tax id|vat id no|vat reg nr|vat nr|tax identification number
		|ust id nr|ust idnr|ustid|ust id|ustidnr|ust identnr|ust ident nr|umsatzsteuer id|umsatzsteuer identifikationsnummer|uid nr|uid|mwst nr|mwst nummer|uid nummer|umsatzsteuer identnummer|ust identifikationsnummer|umsatzsteuer id nr|uid mwst
		|n tva|numero de tva|n de tva|no tva|tva intracommunautaire|n tva intracommunautaire|n tva intra|numero tva|tva intra|n tva intracom|id tva|num tva
		|nif|cif|nif cif|cif nif|n i f|c i f|nif iva|vat es|partita iva|p iva|p i|piva|p iva c f|c f p iva|codice iva|partita i v a|p i v a
		|btw nummer|btw nr|btwnummer|btw id|btw identificatienummer|btw id nr|btw identificatie nummer
		|contribuinte|n contribuinte|contribuinte n|nipc|n i p c|cnpj|cpf|cnpj mf|numero de contribuinte|contribuinte no
		|nip|n i p|nr nip|vat ue|nip ue
		|momsnr|moms nr|momsreg nr|moms reg nr|momsreg|vat reg nr se|momsregnr|vat nr se|momsregistreringsnummer|cvr|cvr nr|se nr|mva nr|org nr mva|alv numero|alv nro|dic|adoszam|cui|cif ro|cod fiscal|kennitala
		|αφμ|α φ μ|ддс №|ддс no|идент № по ддс|ид № по ддс|инддс|ин по ддс|идентификационен номер по ддс|зддс №|ддс номер|ин по зддс|ид no по ддс|идент no по ддс|ид номер по ддс
		|登録番号|納税者番号|税号|纳税人识别号|納稅人識別號|统一社会信用代码|统一社会信用代码 纳税人识别号|الرقم الضريبي|رقم التسجيل الضريبي|رقم ضريبة القيمة المضافة|الرقم الضريبى`
)
