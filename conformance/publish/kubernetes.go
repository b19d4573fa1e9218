package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	metricsv1beta1 "k8s.io/metrics/pkg/apis/metrics/v1beta1"
)

// kubernetesTables are the contents of kubernetes.json.
func kubernetesTables() ([]byte, error) {
	upstream, err := moduleFolder("k8s.io/kubernetes")
	if err != nil {
		return nil, err
	}
	discovery := filepath.Join(upstream, "api", "discovery")
	published, err := groups(discovery)
	if err != nil {
		return nil, err
	}
	schemas, deleted, err := openAPI(filepath.Join(upstream, "api", "openapi-spec", "v3"), published)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString("{\"resources\":[\n")
	var lines []string
	for _, one := range published {
		for _, version := range one.Versions {
			rows, err := resources(discovery, one, version)
			if err != nil {
				return nil, err
			}
			for _, row := range rows {
				row.ReturnsDeleted = deleted[row.Version+" "+row.Kind]
				lines = append(lines, encode(row))
			}
		}
	}
	out.WriteString(strings.Join(lines, ",\n"))
	out.WriteString("\n],\"types\":{\n")
	out.WriteString(strings.Join(typeLines(reachableTypes(published), schemas), ",\n"))
	out.WriteString("\n}}\n")
	return out.Bytes(), nil
}

// moduleFolder is where the module cache has a module that go.mod requires.
func moduleFolder(module string) (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("go list %s: %w", module, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// document is what is read of an OpenAPI document.
type document struct {
	Paths map[string]struct {
		Delete struct {
			Action    string                     `json:"x-kubernetes-action"`
			Kind      map[string]string          `json:"x-kubernetes-group-version-kind"`
			Responses map[string]json.RawMessage `json:"responses"`
		} `json:"delete"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]map[string]any `json:"schemas"`
	} `json:"components"`
}

// openAPI reads the component schemas of all published versions by name, and which kinds ("v1 Pod") a DELETE answers
// with.
func openAPI(folder string, published []group) (map[string]map[string]any, map[string]bool, error) {
	schemas := map[string]map[string]any{}
	deleted := map[string]bool{}
	for _, one := range published {
		for _, version := range one.Versions {
			if one.Name == "metrics.k8s.io" {
				continue // has no document upstream
			}
			var read document
			path := filepath.Join(folder, fileName(one.Name, version)+"_openapi.json")
			if err := readJSON(path, &read); err != nil {
				return nil, nil, err
			}
			for name, body := range read.Components.Schemas {
				schemas[name] = body
			}
			for _, item := range read.Paths {
				answer := item.Delete.Responses["200"]
				if item.Delete.Action == "delete" && !bytes.Contains(answer, []byte("meta.v1.Status")) {
					deleted[groupVersion(one.Name, version)+" "+item.Delete.Kind["kind"]] = true
				}
			}
		}
	}
	return schemas, deleted, nil
}

// reachableTypes are all types of the published versions' kinds, and those that every server needs.
func reachableTypes(published []group) *walker {
	all := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(all))
	utilruntime.Must(apiextensionsv1.AddToScheme(all))
	utilruntime.Must(apiregistrationv1.AddToScheme(all))
	utilruntime.Must(metricsv1beta1.AddToScheme(all))

	w := &walker{structs: map[string][]field{}, forms: map[string]string{}, kinds: map[string][]string{}}
	for _, one := range published {
		for _, version := range one.Versions {
			for kind, t := range all.KnownTypes(schema.GroupVersion{Group: one.Name, Version: version}) {
				if !strings.HasSuffix(t.PkgPath(), "apimachinery/pkg/apis/meta/v1") && modelName(t) != "" {
					name := w.add(t)
					w.kinds[name] = append(w.kinds[name], groupVersion(one.Name, version)+" "+kind)
				}
			}
		}
	}
	for _, value := range []any{
		metav1.Status{}, metav1.DeleteOptions{}, metav1.WatchEvent{}, metav1.PartialObjectMetadata{},
		metav1.PartialObjectMetadataList{}, metav1.APIVersions{}, metav1.APIGroup{}, metav1.APIGroupList{},
		metav1.APIResourceList{}, metav1.Patch{},
	} {
		w.add(reflect.TypeOf(value))
	}
	return w
}

func typeLines(w *walker, schemas map[string]map[string]any) []string {
	names := []string{}
	for name := range w.structs {
		names = append(names, name)
	}
	for name := range w.forms {
		names = append(names, name)
	}
	slices.Sort(names)
	var lines []string
	for _, name := range names {
		lines = append(lines, encode(name)+":"+w.line(name, schemas[name]))
	}
	return lines
}
