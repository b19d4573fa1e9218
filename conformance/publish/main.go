// Command publish writes what Kubernetes publishes about its API as tables without prose, for src/api/data:
// types with their fields from Go's structs and the OpenAPI documents, resources from the recorded discovery.
//
//	go run ./publish ../src/api/data
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
	return os.WriteFile(filepath.Join(folder, "kubernetes.json"), builtIn, 0o644)
}
