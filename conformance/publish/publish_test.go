package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The committed tables are what this program writes.
func TestTablesAreCurrent(t *testing.T) {
	folder := t.TempDir()
	if err := publish(folder); err != nil {
		t.Fatal(err)
	}
	committed := filepath.Join("..", "..", "src", "api", "data")
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		got, err := os.ReadFile(filepath.Join(committed, name))
		if err != nil {
			return err
		}
		if string(got) != string(want) {
			t.Errorf("%s is not what is published now: run ./dev publish", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
