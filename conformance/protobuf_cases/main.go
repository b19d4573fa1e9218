// Command protobuf_cases writes objects of every published kind as Go's clients send them in protobuf, with the JSON
// that Go makes of the same bytes: what src/server/api/protobuf/protobuf_test.cc holds our decoder against.
//
//	go run ./protobuf_cases ../src/objects/schema/data/kubernetes.json ../src/server/api/testdata/protobuf.json
//
// The objects are filled at random, with a fixed seed: the same program always writes the same file.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	metricsv1beta1 "k8s.io/metrics/pkg/apis/metrics/v1beta1"
)

// objectsOfKind: the first is filled densely, the second sparsely, with zero values behind its pointers.
const objectsOfKind = 2

type testCase struct {
	Kind string          `json:"kind"` // "apps/v1 Deployment"
	Body []byte          `json:"body"`
	JSON json.RawMessage `json:"json"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: protobuf_cases TABLES FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "protobuf_cases:", err)
		os.Exit(1)
	}
}

func write(tables, file string) error {
	kinds, err := publishedKinds(tables)
	if err != nil {
		return err
	}
	all := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(all))
	utilruntime.Must(apiextensionsv1.AddToScheme(all))
	utilruntime.Must(apiregistrationv1.AddToScheme(all))
	utilruntime.Must(metricsv1beta1.AddToScheme(all))
	metav1.AddToGroupVersion(all, schema.GroupVersion{Version: "v1"})

	fill := newFiller(1)
	var out bytes.Buffer
	out.WriteString("[\n")
	separator := ""
	for _, kind := range kinds {
		for i := range objectsOfKind {
			line, err := oneCase(all, kind, func(object runtime.Object) { fill.object(object, i == 0) })
			if err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
			out.WriteString(separator)
			out.Write(line)
			separator = ",\n"
		}
	}
	out.WriteString("\n]\n")
	return os.WriteFile(file, out.Bytes(), 0o644)
}

// publishedKinds are those that clients write: no lists, and no options of subresources, which travel in queries.
func publishedKinds(tables string) ([]string, error) {
	text, err := os.ReadFile(tables)
	if err != nil {
		return nil, err
	}
	var document struct {
		Types map[string]struct {
			Kinds []string `json:"kinds"`
		} `json:"types"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	var kinds []string
	for _, described := range document.Types {
		for _, kind := range described.Kinds {
			isOptions := strings.HasSuffix(kind, "Options") && kind != "v1 DeleteOptions"
			if !strings.HasSuffix(kind, "List") && !isOptions && kind != "v1 WatchEvent" {
				kinds = append(kinds, kind)
			}
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds), nil
}

func oneCase(all *runtime.Scheme, kind string, fill func(runtime.Object)) ([]byte, error) {
	version, name, _ := strings.Cut(kind, " ")
	gvk := schema.FromAPIVersionAndKind(version, name)
	object, err := all.New(gvk)
	if err != nil {
		return nil, err
	}
	fill(object)
	object.GetObjectKind().SetGroupVersionKind(gvk)
	serializer := protobuf.NewSerializer(all, all)
	var body bytes.Buffer
	if err := serializer.Encode(object, &body); err != nil {
		return nil, err
	}
	decoded, _, err := serializer.Decode(body.Bytes(), nil, nil)
	if err != nil {
		return nil, err
	}
	decoded.GetObjectKind().SetGroupVersionKind(gvk)
	text, err := json.Marshal(decoded)
	if err != nil {
		return nil, err
	}
	return json.Marshal(testCase{kind, body.Bytes(), text})
}
