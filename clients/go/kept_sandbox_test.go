package sabika

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestWhatIsKeptOfAnOrderIsFetchedAndVerified(t *testing.T) {
	client := sandboxClient(t, openSandboxKit(t), Options{})
	ctx := t.Context()
	must(client.Fund(ctx, FundRequest{Amount: 1000_00}))(t)
	quote := must(client.Quote(ctx, QuoteRequest{Side: Buy, Gold: 1_000_000}))(t)
	order := must(client.Order(ctx, OrderRequest{QuoteID: quote.ID}))(t)
	receipt := must(client.Receipt(ctx, order.ID))(t)
	for receipt == "" { // Its signer may be away.
		time.Sleep(time.Second)
		receipt = must(client.Receipt(ctx, order.ID))(t)
	}
	vault := must(client.Vault(ctx))(t)
	var versions [][]byte
	for number := int64(1); number <= vault.Version; number++ {
		versions = append(versions, must(client.VaultVersion(ctx, number))(t))
	}
	bars := versions[len(versions)-1]
	equal(t, sha256Hex(bars), vault.Hash)
	equal(t, VerifyVersions(versions, nil).OK(), true)
	keys := must(client.ReceiptKeys(ctx))(t)
	verified := must(VerifyReceipt(ReceiptToVerify{JWS: receipt, Keys: keys, Bars: bars}))(t)
	equal(t, verified.OK(), true)
	equal(t, strings.Join(verified.Holds, " "), "signature value parts share bars")
	equal(t, int64(verified.Receipt.PoolFine), vault.FineMicrograms)
	equal(t, string(must(client.AttestationKeys(ctx))(t)), `{"keys":[]}`)
}

func TestAReserveIsFetchedAndVerified(t *testing.T) {
	client := sandboxClient(t, openSandboxKit(t), Options{})
	day := os.Getenv("SABIKA_RESERVE_DAY")
	if day == "" {
		t.Skip("SABIKA_RESERVE_DAY names no day that has a reserve")
	}
	reserve := must(client.Reserve(t.Context(), day))(t)
	equal(t, reserve.Attested, false)
	verified := must(VerifyReserve(ReserveToVerify{
		Text: reserve.Text, Hash: &reserve.Hash, Signature: reserve.Signature,
		Keys: must(client.ReceiptKeys(t.Context()))(t),
		Mine: must(client.ReserveOpening(t.Context(), day))(t),
	}))(t)
	equal(t, strings.Join(verified.Faults, " "), "")
	_, err := client.Reserve(t.Context(), "2000-01-01")
	equal(t, refusalOf(t, err).Code, "not_found")
}
