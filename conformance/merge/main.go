// Command merge prints random cases of patches, updates and server-side applies, with what Kubernetes' own libraries
// make of them, as JSON lines. The tests of src/server/api replay them.
//
//	go run ./merge -seed 1 -cases 500 > cases.jsonl
//
// The same seed gives the same cases, except those whose outcome Kubernetes leaves to the order of a Go map: these are
// left out.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Case is an operation, its input and what became of it.
type Case struct {
	Op      string          `json:"op"` // json, merge, strategic, update, apply
	Kind    string          `json:"kind,omitempty"`
	Version string          `json:"version,omitempty"`
	Live    json.RawMessage `json:"live"`
	Change  json.RawMessage `json:"change"` // the patch, the new object or the applied configuration
	Manager string          `json:"manager,omitempty"`
	Section string          `json:"subresource,omitempty"`
	Force   bool            `json:"force,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   string          `json:"error,omitempty"`
	Causes  []string        `json:"causes,omitempty"`
}

func main() {
	seed := flag.Int64("seed", 1, "seed of the random numbers")
	count := flag.Int("cases", 500, "number of cases")
	only := flag.String("op", "", "print cases of this operation only")
	longest := flag.Int("max", 1<<20, "bytes of the longest case to print")
	flag.Parse()
	if err := run(*seed, *count, *only, *longest); err != nil {
		fmt.Fprintln(os.Stderr, "merge:", err)
		os.Exit(1)
	}
}

func run(seed int64, count int, only string, longest int) error {
	folder, err := openAPIFolder()
	if err != nil {
		return err
	}
	kinds, err := newKinds(folder)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	dice := &Dice{rand.New(rand.NewSource(seed))}
	printed := 0
	emit := func(c *Case) {
		if c == nil || printed >= count || (only != "" && c.Op != only) {
			return
		}
		if len(c.Live)+len(c.Change)+len(c.Result) > longest {
			return
		}
		printed++
		if err := encoder.Encode(c); err != nil {
			panic(err)
		}
	}
	for printed < count {
		kind := kinds[dice.Intn(len(kinds))]
		live(dice, kind, emit)
		patches(dice, kind, emit)
	}
	return nil
}

// openAPIFolder finds the published schemas in the module cache.
func openAPIFolder() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		return "", fmt.Errorf("finding k8s.io/kubernetes: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "api", "openapi-spec", "v3"), nil
}
