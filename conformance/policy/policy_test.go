package policy

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the files")

func TestTableIsUpstreams(t *testing.T) {
	compare(t, "../../src/server/apiserver/auth/data/default_roles.h", Table())
}

// Our authorizer answers the same questions in src/server/apiserver/auth/rbac_cases_test.cc.
func TestCasesAreUpstreams(t *testing.T) {
	compare(t, "testdata/rbac.jsonl", Cases(11))
}

func compare(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what upstream says: run go test ./policy -update", path)
	}
}
