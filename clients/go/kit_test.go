package sabika

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAKitDoesNotShowItsSecrets(t *testing.T) {
	kit := openSandboxKit(t)
	for _, form := range []string{"%v", "%+v", "%#v", "%s"} {
		shown := fmt.Sprintf(form, *kit)
		for _, secret := range []Secret{kit.ClientSecret, kit.WebhookSecret} {
			if strings.Contains(shown, string(secret)) {
				t.Errorf("%s shows a secret", form)
			}
		}
	}
}

func TestAKitWithAWrongFileIsRefusedByItsName(t *testing.T) {
	kit := openSandboxKit(t)
	folder := t.TempDir()
	_, err := OpenKit(folder)
	equal(t, strings.Contains(fmt.Sprint(err), "partner.json"), true)
	for name, other := range map[string]string{"client.key": "signing.key", "signing.key": "client.key"} {
		equal(t, os.CopyFS(filepath.Join(folder, name), os.DirFS(kit.Folder)), nil)
		text := must(os.ReadFile(filepath.Join(kit.Folder, other)))(t)
		equal(t, os.WriteFile(filepath.Join(folder, name, name), text, 0o600), nil)
		_, err := OpenKit(filepath.Join(folder, name))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
