// Command publish writes what Kubernetes publishes about its API as tables without prose, for src/objects/schema/data:
// types with their fields from Go's structs and the OpenAPI documents, resources from the recorded discovery; and the
// CustomResourceDefinitions of projects around it, from their Go modules.
//
//	go run ./publish ../src/objects/schema/data
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: publish FOLDER")
		os.Exit(2)
	}
	if err := publish(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "publish:", err)
		os.Exit(1)
	}
}

func publish(folder string) error {
	builtIn, err := kubernetesTables()
	if err != nil {
		return err
	}
	definitions, err := definitionTables(false)
	if err != nil {
		return err
	}
	return write(folder, builtIn, definitions)
}

func write(folder string, builtIn []byte, definitions map[string][]byte) error {
	crds := filepath.Join(folder, "crds")
	if err := os.MkdirAll(crds, 0o755); err != nil {
		return err
	}
	for name, text := range definitions {
		if err := os.WriteFile(filepath.Join(crds, name), text, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, "kubernetes.json"), builtIn, 0o644)
}
