package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

const committed = "../../src/objects/schema/data"

func compare(t *testing.T, name string, published []byte) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(committed, name))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(published) {
		t.Errorf("%s is not what is published now: run ./dev publish", name)
	}
}

// The committed tables are what this program writes.
func TestKubernetesTablesAreCurrent(t *testing.T) {
	published, err := kubernetesTables()
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "kubernetes.json", published)
}

// The same of the definitions, if their modules are on this machine: they are large, and nothing else needs them.
func TestDefinitionsAreCurrent(t *testing.T) {
	published, err := definitionTables(true)
	if err != nil {
		t.Skipf("not compared: %v", err)
	}
	for name, text := range published {
		compare(t, filepath.Join("crds", name), text)
	}
	files, err := os.ReadDir(filepath.Join(committed, "crds"))
	if want := len(published) + len(handwritten); err != nil || len(files) != want {
		t.Errorf("%d files are committed, not %d (%v)", len(files), want, err)
	}
}

// Whatever is shared comes back as it was.
func TestSharedSchemasExpandToThemselves(t *testing.T) {
	schema := func() map[string]any {
		inner := map[string]any{"type": "object", "required": []any{"a"}, "properties": map[string]any{
			"a": map[string]any{"type": "string", "pattern": "^a long pattern, so that it is worth a name of its own$"}}}
		return map[string]any{"type": "object", "properties": map[string]any{"left": inner, "right": map[string]any{
			"type": "array", "items": inner}}}
	}
	want := encode(schema())
	shared := newSharing()
	counted := schema()
	changeSchema(counted, func(schema map[string]any) any { shared.count(schema); return schema })
	// A tree of its own, as a document is: changeSchema writes into it.
	separate := map[string]any{}
	if err := json.Unmarshal([]byte(want), &separate); err != nil {
		t.Fatal(err)
	}
	referred := changeSchema(separate, shared.refer)
	if encode(referred) == want {
		t.Error("nothing is shared")
	}
	if got := encode(shared.expand(referred)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
