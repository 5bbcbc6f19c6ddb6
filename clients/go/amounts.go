package sabika

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Amounts are whole numbers of a small unit, read from the text of a JSON number and written back to
// it, never through a float (Decisions D2 to D5). Amounts with too many digits are refused, not rounded.
type (
	// SAR is money in halalas: SAR(150) is 1.50 riyals.
	SAR int64
	// Grams is a weight of gold in micrograms: Grams(1_500_000) is 1.5 g. On the wire it has at most
	// 4 decimals, so it is a multiple of 100.
	Grams int64
	// Price is SAR per gram in ten-thousandths of a riyal.
	Price int64
	// Rate is a share in millionths: Rate(150_000) is 0.15, or 15 %.
	Rate int64
	// Amount is of SAR or grams, as the unit beside it says, in ten-thousandths.
	Amount int64
)

// The reasons for which a text is not a valid amount.
var (
	ErrWrongForm  = errors.New("wrong_form")
	ErrTooPrecise = errors.New("too_precise")
)

const significantDigits = 15

var number = regexp.MustCompile(`^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?$`)

// ParseSAR reads riyals with at most 2 decimals: "12.50".
func ParseSAR(text string) (SAR, error) {
	value, err := parseDecimal(text, 2, 2)
	return SAR(value), err
}

// ParseGrams reads grams with at most 4 decimals: "1.5".
func ParseGrams(text string) (Grams, error) {
	value, err := parseDecimal(text, 4, 6)
	return Grams(value), err
}

// ParsePrice reads SAR per gram with at most 4 decimals: "412.3456".
func ParsePrice(text string) (Price, error) {
	value, err := parseDecimal(text, 4, 4)
	return Price(value), err
}

func (a SAR) String() string    { return formatDecimal(int64(a), 2) }
func (a Grams) String() string  { return formatDecimal(int64(a), 6) }
func (a Price) String() string  { return formatDecimal(int64(a), 4) }
func (a Rate) String() string   { return formatDecimal(int64(a), 6) }
func (a Amount) String() string { return formatDecimal(int64(a), 4) }

// MarshalJSON writes a JSON number.
func (a SAR) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// MarshalJSON writes a JSON number; an amount with more than 4 decimals is an error.
func (a Grams) MarshalJSON() ([]byte, error) {
	if a%100 != 0 {
		return nil, fmt.Errorf("%s g: %w", a, ErrTooPrecise)
	}
	return []byte(a.String()), nil
}

// MarshalJSON writes a JSON number.
func (a Price) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// MarshalJSON writes a JSON number.
func (a Rate) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// MarshalJSON writes a JSON number.
func (a Amount) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalJSON reads a JSON number from its text.
func (a *SAR) UnmarshalJSON(text []byte) (err error) {
	*a, err = ParseSAR(string(text))
	return err
}

// UnmarshalJSON reads a JSON number from its text.
func (a *Grams) UnmarshalJSON(text []byte) (err error) {
	*a, err = ParseGrams(string(text))
	return err
}

// UnmarshalJSON reads a JSON number from its text.
func (a *Price) UnmarshalJSON(text []byte) (err error) {
	*a, err = ParsePrice(string(text))
	return err
}

// UnmarshalJSON reads a JSON number from its text.
func (a *Rate) UnmarshalJSON(text []byte) error {
	value, err := parseDecimal(string(text), 6, 6)
	*a = Rate(value)
	return err
}

// UnmarshalJSON reads a JSON number from its text.
func (a *Amount) UnmarshalJSON(text []byte) error {
	value, err := parseDecimal(string(text), 4, 4)
	*a = Amount(value)
	return err
}

// parseDecimal reads a number with at most decimals decimals (including trailing zeros) as a multiple of
// the unit 10^-scale.
func parseDecimal(text string, decimals, scale int) (int64, error) {
	match := number.FindStringSubmatch(text)
	if match == nil {
		return 0, ErrWrongForm
	}
	sign, whole, fraction := match[1], match[2], match[3]
	if len(fraction) > decimals {
		return 0, ErrTooPrecise
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		if sign != "" {
			return 0, ErrWrongForm
		}
		return 0, nil
	}
	if len(digits) > significantDigits {
		return 0, ErrTooPrecise
	}
	value, err := strconv.ParseInt(sign+digits+strings.Repeat("0", scale-len(fraction)), 10, 64)
	if err != nil {
		return 0, ErrTooPrecise
	}
	return value, nil
}

// formatDecimal writes a multiple of the unit 10^-scale as a JSON number, without trailing zeros.
func formatDecimal(value int64, scale int) string {
	digits := strconv.FormatInt(value, 10)
	sign := ""
	if value < 0 {
		sign, digits = "-", digits[1:]
	}
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale+1-len(digits)) + digits
	}
	point := len(digits) - scale
	fraction := strings.TrimRight(digits[point:], "0")
	if fraction == "" {
		return sign + digits[:point]
	}
	return sign + digits[:point] + "." + fraction
}
