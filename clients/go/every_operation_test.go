package sabika_test

import (
	"os"
	"testing"

	sabika "sabika.example/go"
	"sabika.example/go/internal/operations"
)

func TestEachOperationIsCalled(t *testing.T) {
	folder, reserveDay := os.Getenv("SABIKA_KIT"), os.Getenv("SABIKA_RESERVE_DAY")
	if folder == "" || reserveDay == "" {
		t.Skip("SABIKA_KIT and SABIKA_RESERVE_DAY name no running sandbox with a reserve")
	}
	kit, err := sabika.OpenKit(folder)
	if err != nil {
		t.Fatal(err)
	}
	operations.CallEach(t, "../../docs/vectors/operations.json", kit, reserveDay)
}
