package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The committed cases are what this program writes.
func TestCasesAreCurrent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cases.json")
	if err := write(filepath.Join("..", "..", "src", "objects", "schema", "data", "kubernetes.json"), file); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("..", "..", "src", "server", "api", "testdata", "protobuf.json"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("src/server/api/testdata/protobuf.json is not what is written now: see the package's comment")
	}
}
