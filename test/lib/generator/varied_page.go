package generator

import "strings"

// print prints the page: the seller or a brand at the top, the addresses, numbers and dates below them,
// the lines and totals, and an imprint.
func (v *varied) print() {
	v.page()
	v.footerOnly = v.chance(5)
	v.top()
	v.middle()
	v.body()
	v.slip()
	v.imprint()
}

// top prints the seller's address or a brand, on one side, and often the title on the other.
func (v *varied) top() {
	titled := v.chance(2)
	x, alignRight, other := left, false, right
	switch v.r.IntN(3) {
	case 0:
		x, alignRight, other = right, true, left
	case 1:
		x, alignRight, other = 360, false, left
	}
	if v.chance(2) {
		v.put(x, 48, 14+v.r.Float64()*12, alignRight, v.brand())
	}
	switch {
	case v.footerOnly:
	case v.chance(8): // in one line
		s := v.t.Seller
		v.put(left, 64, 8, false, strings.Join([]string{s.Name, s.Street, s.Town}, " - "))
	default:
		first := 10.0
		if v.chance(2) {
			first = 11 + v.r.Float64()*7
		}
		v.block(x, 64, 9, first, alignRight, v.sellerLines())
	}
	if titled {
		v.put(other, 60, 14+v.r.Float64()*8, other == right, v.title())
	} else {
		v.put(left, 265, 14, false, v.title())
	}
}

// middle prints the buyer's address, another address or the rows next to it, and the rows below if they have no place.
func (v *varied) middle() {
	buyerX, otherX := left, 330.0
	if v.chance(3) {
		buyerX, otherX = otherX, left
	}
	y := 150 + v.r.Float64()*15
	if v.chance(3) && !v.footerOnly {
		s := v.t.Seller
		v.put(buyerX, y-3, 6.5, false, strings.Join([]string{s.Name, s.Street, s.Town}, pick(v, []string{" · ", ", ", " | "})))
		y += 11
	}
	if !v.t.Twists.Unlabelled && v.chance(2) {
		v.put(buyerX, y, pick(v, []float64{8, 10}), false, v.word("to")+pick(v, []string{"", ":"}))
		y += 14
	}
	v.block(buyerX, y, 10, pick(v, []float64{10, 10, 12}), false, v.buyerLines())
	rows := v.rows()
	if v.chance(3) {
		place := v.t.Buyer
		if v.chance(2) {
			place = pick(v, others)
		}
		v.put(otherX, y-14, 8, false, v.also.delivery)
		v.block(otherX, y, 9, 9, false, []string{place.Name, place.Street, place.Town})
		v.y = v.strip(285, rows)
	} else if v.chance(4) {
		v.y = v.strip(285, rows)
	} else {
		v.y = max(v.details(otherX, y, rows)+20, 290)
	}
	v.y += 10
}

// slip prints the part of a page that is paid with, if there is room.
func (v *varied) slip() {
	if v.t.IBAN == "" || v.y > 640 || !v.chance(6) {
		return
	}
	v.block(left, v.y+60, 9, 9, false, []string{v.t.Seller.Name, v.t.IBAN, pick(v, banks)})
	v.block(330, v.y+60, 9, 9, false, []string{v.t.Buyer.Name, v.l.money(v.t.Due), v.t.Number})
}

// imprint prints the details of the seller, its bank, and sometimes another company, in columns at the end of the page.
func (v *varied) imprint() {
	s := v.t.Seller
	columns := [][]string{}
	if v.footerOnly || v.chance(2) {
		columns = append(columns, []string{s.Name, s.Street, s.Town})
	}
	details := []string{v.word("taxid") + " " + s.TaxID, v.also.phone + " 030 5550" + v.t.Number[len(v.t.Number)-1:]}
	if v.footerOnly || !v.taxPrinted || v.chance(2) {
		columns = append(columns, details)
	}
	if v.t.IBAN != "" {
		columns = append(columns, []string{v.also.bank + ": " + pick(v, banks), "IBAN " + v.t.IBAN})
	}
	if v.chance(12) {
		o := pick(v, others)
		columns = append(columns, []string{o.Name, o.Street + ", " + o.Town, o.TaxID})
	}
	for i, lines := range columns {
		v.block(left+float64(i)*(right-left)/float64(len(columns)), 806, 7, 7, false, lines)
	}
}
