package rules

// The locations of allowances and charges.
const (
	lineAllowancesUBL = "InvoiceLine/AllowanceCharge[ChargeIndicator=false,0] | CreditNoteLine/AllowanceCharge[ChargeIndicator=false,0]"
	lineChargesUBL    = "InvoiceLine/AllowanceCharge[ChargeIndicator=true,1] | CreditNoteLine/AllowanceCharge[ChargeIndicator=true,1]"
	allowancesUBL     = "/AllowanceCharge[ChargeIndicator=false,0]"
	chargesUBL        = "/AllowanceCharge[ChargeIndicator=true,1]"
	lineAllowancesCII = "SpecifiedLineTradeSettlement/SpecifiedTradeAllowanceCharge[ChargeIndicator/Indicator=false]"
	lineChargesCII    = "SpecifiedLineTradeSettlement/SpecifiedTradeAllowanceCharge[ChargeIndicator/Indicator=true]"
	allowancesCII     = "ApplicableHeaderTradeSettlement/SpecifiedTradeAllowanceCharge[ChargeIndicator/Indicator=false]"
	chargesCII        = "ApplicableHeaderTradeSettlement/SpecifiedTradeAllowanceCharge[ChargeIndicator/Indicator=true]"

	linesUBL = "InvoiceLine | CreditNoteLine"
	linesCII = "IncludedSupplyChainTradeLineItem"
)

var (
	reasonUBL = has("AllowanceChargeReason", "AllowanceChargeReasonCode")
	reasonCII = has("Reason", "ReasonCode")
)

// enLines are the rules of EN 16931 on lines, items, prices, allowances and
// charges.
var enLines = []rule{
	{id: "BR-21", severity: fatal, terms: "BT-126 BG-25", message: "A line has no identifier (BT-126).",
		ubl: at(linesUBL, filled("ID")), cii: at(linesCII, filled("AssociatedDocumentLineDocument/LineID"))},
	{id: "BR-22", severity: fatal, terms: "BT-129 BG-25", message: "A line has no quantity (BT-129).",
		ubl: at(linesUBL, has("InvoicedQuantity", "CreditedQuantity")), cii: at(linesCII, has("SpecifiedLineTradeDelivery/BilledQuantity"))},
	{id: "BR-23", severity: fatal, terms: "BT-130 BG-25", message: "The quantity of a line has no unit (BT-130).",
		ubl: at(linesUBL, has("InvoicedQuantity[@unitCode]", "CreditedQuantity[@unitCode]")), cii: at(linesCII, has("SpecifiedLineTradeDelivery/BilledQuantity[@unitCode]"))},
	{id: "BR-24", severity: fatal, terms: "BT-131 BG-25", message: "A line has no net amount (BT-131).",
		ubl: at(linesUBL, has("LineExtensionAmount")),
		cii: at(linesCII, has("SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount"))},
	{id: "BR-25", severity: fatal, terms: "BT-153 BG-25", message: "The item of a line has no name (BT-153).",
		ubl: at(linesUBL, filled("Item/Name")), cii: at(linesCII, filled("SpecifiedTradeProduct/Name"))},
	{id: "BR-26", severity: fatal, terms: "BT-146 BG-25", message: "A line has no net price (BT-146).",
		ubl: at(linesUBL, has("Price/PriceAmount")), cii: at(linesCII, has("SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount"))},
	{id: "BR-27", severity: fatal, terms: "BT-146", message: "The net price of a line (BT-146) is negative or no number.",
		ubl: at(linesUBL, compareTo("Price/PriceAmount", number.ge)),
		cii: at(linesCII, compareTo("SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount", number.ge))},
	{id: "BR-28", severity: fatal, terms: "BT-148", message: "The gross price of a line (BT-148) is negative or no number.",
		ubl: at(linesUBL, or(none("Price/AllowanceCharge/BaseAmount"), compareTo("Price/AllowanceCharge/BaseAmount", number.ge))),
		cii: at(linesCII, or(none("SpecifiedLineTradeAgreement/GrossPriceProductTradePrice/ChargeAmount"),
			compareTo("SpecifiedLineTradeAgreement/GrossPriceProductTradePrice/ChargeAmount", number.ge)))},
	{id: "BR-30", severity: fatal, terms: "BT-134 BT-135", message: "The period of a line ends (BT-135) before it begins (BT-134).",
		ubl: at("InvoiceLine/InvoicePeriod | CreditNoteLine/InvoicePeriod", periodUBL),
		cii: at("SpecifiedLineTradeSettlement/BillingSpecifiedPeriod", periodCII)},
	{id: "BR-31", severity: fatal, terms: "BT-92 BG-20", message: "A document level allowance has no amount (BT-92).",
		ubl: at(allowancesUBL, has("Amount")), cii: at(allowancesCII, has("ActualAmount"))},
	{id: "BR-32", severity: fatal, terms: "BT-95 BG-20", message: "A document level allowance has no VAT category (BT-95).",
		ubl: at(allowancesUBL, has("TaxCategory[TaxScheme/ID~VAT]/ID")), cii: at(allowancesCII, has("CategoryTradeTax[TypeCode~VAT]/CategoryCode"))},
	{id: "BR-33", severity: fatal, terms: "BT-97 BT-98 BG-20", message: "A document level allowance has no reason (BT-97) and no reason code (BT-98).",
		ubl: at(allowancesUBL, reasonUBL), cii: at(allowancesCII, reasonCII)},
	{id: "BR-36", severity: fatal, terms: "BT-99 BG-21", message: "A document level charge has no amount (BT-99).",
		ubl: at(chargesUBL, has("Amount")), cii: at(chargesCII, has("ActualAmount"))},
	{id: "BR-37", severity: fatal, terms: "BT-102 BG-21", message: "A document level charge has no VAT category (BT-102).",
		ubl: at(chargesUBL, has("TaxCategory[TaxScheme/ID~VAT]/ID")), cii: at(chargesCII, has("CategoryTradeTax[TypeCode~VAT]/CategoryCode"))},
	{id: "BR-38", severity: fatal, terms: "BT-104 BT-105 BG-21", message: "A document level charge has no reason (BT-104) and no reason code (BT-105).",
		ubl: at(chargesUBL, reasonUBL), cii: at(chargesCII, reasonCII)},
	{id: "BR-41", severity: fatal, terms: "BT-136 BG-27", message: "An allowance of a line has no amount (BT-136).",
		ubl: at(lineAllowancesUBL, has("Amount")), cii: at(lineAllowancesCII, has("ActualAmount"))},
	{id: "BR-42", severity: fatal, terms: "BT-139 BT-140 BG-27", message: "An allowance of a line has no reason (BT-139) and no reason code (BT-140).",
		ubl: at(lineAllowancesUBL, reasonUBL), cii: at(lineAllowancesCII, reasonCII)},
	{id: "BR-43", severity: fatal, terms: "BT-141 BG-28", message: "A charge of a line has no amount (BT-141).",
		ubl: at(lineChargesUBL, has("Amount")), cii: at(lineChargesCII, has("ActualAmount"))},
	{id: "BR-44", severity: fatal, terms: "BT-144 BT-145 BG-28", message: "A charge of a line has no reason (BT-144) and no reason code (BT-145).",
		ubl: at(lineChargesUBL, reasonUBL), cii: at(lineChargesCII, reasonCII)},
	{id: "BR-54", severity: fatal, terms: "BT-160 BT-161 BG-32", message: "An item attribute needs a name (BT-160) and a value (BT-161).",
		ubl: at("AdditionalItemProperty", and(has("Name"), has("Value"))),
		cii: at("ApplicableProductCharacteristic", and(has("Description"), has("Value")))},
	{id: "BR-64", severity: fatal, terms: "BT-157", message: "The standard identifier of an item (BT-157) names no scheme.",
		ubl: at("InvoiceLine/Item/StandardItemIdentification/ID | CreditNoteLine/Item/StandardItemIdentification/ID", withAttr("schemeID")),
		cii: at(linesCII, or(none("SpecifiedTradeProduct/GlobalID"), has("SpecifiedTradeProduct/GlobalID[@schemeID!=]")))},
	{id: "BR-65", severity: fatal, terms: "BT-158", message: "The classification of an item (BT-158) names no scheme.",
		ubl: at("InvoiceLine/Item/CommodityClassification/ItemClassificationCode | CreditNoteLine/Item/CommodityClassification/ItemClassificationCode", withAttr("listID")),
		cii: at("DesignatedProductClassification", or(none("ClassCode"), has("ClassCode[@listID!=]")))},
	{id: "BR-CO-04", severity: fatal, terms: "BT-151 BG-25", message: "A line has no VAT category (BT-151).",
		ubl: at(linesUBL, has("Item/ClassifiedTaxCategory[TaxScheme/ID~VAT]/ID")),
		cii: at(linesCII, has("SpecifiedLineTradeSettlement/ApplicableTradeTax[TypeCode~VAT]/CategoryCode"))},
	{id: "BR-CO-05", severity: fatal, terms: "BT-97 BT-98", message: "The reason (BT-97) and the reason code (BT-98) of a document level allowance must mean the same.",
		ubl: at(allowancesUBL, always), cii: at(allowancesCII, always)},
	{id: "BR-CO-06", severity: fatal, terms: "BT-104 BT-105", message: "The reason (BT-104) and the reason code (BT-105) of a document level charge must mean the same.",
		ubl: at(chargesUBL, always), cii: at(chargesCII, always)},
	{id: "BR-CO-07", severity: fatal, terms: "BT-139 BT-140", message: "The reason (BT-139) and the reason code (BT-140) of an allowance of a line must mean the same.",
		ubl: at(lineAllowancesUBL, always), cii: at(lineAllowancesCII, always)},
	{id: "BR-CO-08", severity: fatal, terms: "BT-144 BT-145", message: "The reason (BT-144) and the reason code (BT-145) of a charge of a line must mean the same.",
		ubl: at(lineChargesUBL, always), cii: at(lineChargesCII, always)},
	{id: "BR-CO-20", severity: fatal, terms: "BG-26 BT-134 BT-135", message: "The period of a line (BG-26) has neither a beginning (BT-134) nor an end (BT-135).",
		ubl: at("InvoiceLine/InvoicePeriod | CreditNoteLine/InvoicePeriod", has("StartDate", "EndDate")),
		cii: at("SpecifiedLineTradeSettlement/BillingSpecifiedPeriod", has("StartDateTime", "EndDateTime"))},
	{id: "BR-CO-21", severity: fatal, terms: "BT-97 BT-98 BG-20", message: "A document level allowance needs a reason (BT-97), a reason code (BT-98) or both.",
		ubl: at(allowancesUBL, reasonUBL), cii: at(allowancesCII, reasonCII)},
	{id: "BR-CO-22", severity: fatal, terms: "BT-104 BT-105 BG-21", message: "A document level charge needs a reason (BT-104), a reason code (BT-105) or both.",
		ubl: at(chargesUBL, reasonUBL), cii: at(chargesCII, reasonCII)},
	{id: "BR-CO-23", severity: fatal, terms: "BT-139 BT-140 BG-27", message: "An allowance of a line needs a reason (BT-139), a reason code (BT-140) or both.",
		ubl: at(lineAllowancesUBL, reasonUBL), cii: at(lineAllowancesCII, reasonCII)},
	{id: "BR-CO-24", severity: fatal, terms: "BT-144 BT-145 BG-28", message: "A charge of a line needs a reason (BT-144), a reason code (BT-145) or both.",
		ubl: at(lineChargesUBL, reasonUBL), cii: at(lineChargesCII, reasonCII)},
}

// always is the condition of rules that a program cannot evaluate, such as whether a
// reason and its code have the same meaning.
func always(*document, *node) bool { return true }
