package sabika

// Side is the direction of a trade from the partner's point of view.
type Side string

// Buy is money out, gold in; Sell the reverse.
const (
	Buy  Side = "buy"
	Sell Side = "sell"
)
