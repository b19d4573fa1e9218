package policy

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the table")

const path = "../../src/apiserver/auth/data/default_roles.h"

func TestTableIsUpstreams(t *testing.T) {
	want := Table()
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
		t.Errorf("%s is not what upstream's bootstrappolicy says: run go test ./policy -update", path)
	}
}
