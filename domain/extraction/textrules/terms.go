package textrules

import (
	"slices"
	"strconv"
	"strings"
)

// usualDays are the periods that "net 30" may state next to a word about payment. Any
// other number after "net" may be an amount.
var usualDays = []int{7, 10, 14, 15, 20, 21, 28, 30, 45, 60, 75, 90, 120}

// maxPaymentDays is the maximum accepted payment period.
const maxPaymentDays = 180

// PaymentDays returns the payment periods in days from the invoice date that a text
// states, "net 30" or "zahlbar innerhalb von 14 Tagen", longest first. With an
// early-payment discount the shorter periods are not due dates, so a single period
// with a discount is ignored. A text that does not state a payment, or that counts
// from another event such as the receipt, returns nothing.
func PaymentDays(text string) []int {
	if CharactersOf(text).digits == 0 {
		return nil
	}
	tokens := Words(text)
	// Most texts with digits have no number of days. The search for one takes less time than
	// that for the words of a payment.
	possible := false
	for i := 0; i < len(tokens) && !possible; i++ {
		_, possible = daysAt(tokens, i, true)
	}
	if !possible {
		return nil
	}
	paying, net, discount := false, false, false
	for _, w := range tokens {
		if startsWithAny(w, vocab().prefixes["notdue"], strings.Contains) {
			return nil
		}
		paying = paying || startsWithAny(w, vocab().prefixes["pay"], strings.HasPrefix)
		net = net || vocab().words["net"][w]
		discount = discount || vocab().words["discount"][w]
	}
	if !paying && !net {
		return nil
	}
	var days []int
	for i := range tokens {
		n, ok := daysAt(tokens, i, paying)
		if ok && !slices.Contains(days, n) {
			days = append(days, n)
		}
	}
	if discount && len(days) < 2 {
		return nil
	}
	slices.Sort(days)
	slices.Reverse(days)
	return days
}

// daysAt parses a number of days: "30" before "days" or, if the text is about
// payment, after "net"; or the first of "14-30 days".
func daysAt(tokens []string, i int, paying bool) (int, bool) {
	w, joined := tokens[i], false
	for _, prefix := range []string{"net", "n"} {
		if rest, ok := strings.CutPrefix(w, prefix); ok && !joined {
			w, joined = rest, true
		}
	}
	n, err := strconv.Atoi(w)
	if err != nil || n < 1 || n > maxPaymentDays {
		return 0, false
	}
	next := ""
	if i+1 < len(tokens) {
		next = tokens[i+1]
	}
	if _, err := strconv.Atoi(next); err == nil && i+2 < len(tokens) && vocab().words["days"][tokens[i+2]] {
		next = tokens[i+2]
	}
	if vocab().words["days"][next] {
		return n, true
	}
	_, err = strconv.Atoi(next)
	net := joined || i > 0 && vocab().words["net"][tokens[i-1]]
	return n, paying && net && err != nil && slices.Contains(usualDays, n)
}

func startsWithAny(word string, parts []string, has func(s, part string) bool) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return has(word, part) })
}

// SpeaksOfPaying reports whether a folded word is about payment.
func SpeaksOfPaying(word string) bool {
	return startsWithAny(word, vocab().prefixes["pay"], strings.HasPrefix)
}
