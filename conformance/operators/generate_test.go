package operators

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const definitions = "../../src/objects/schema/data/crds"

// schemas are those of custom resources, by kind and version.
func schemas(t *testing.T) map[string]validation.SchemaValidator {
	t.Helper()
	shared := map[string]json.RawMessage{}
	read(t, "schemas.json", &shared)
	out := map[string]validation.SchemaValidator{}
	for _, project := range []string{"kubeflow", "jobset", "leaderworkerset", "ray"} {
		var listed []map[string]any
		read(t, project+".json", &listed)
		for _, definition := range listed {
			text, err := json.Marshal(resolve(t, definition, shared))
			if err != nil {
				t.Fatal(err)
			}
			var typed apiextensionsv1.CustomResourceDefinition
			if err := json.Unmarshal(text, &typed); err != nil {
				t.Fatal(err)
			}
			for _, version := range typed.Spec.Versions {
				var internal apiextensions.JSONSchemaProps
				if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, &internal, nil); err != nil {
					t.Fatal(err)
				}
				validator, _, err := validation.NewSchemaValidator(&internal)
				if err != nil {
					t.Fatal(err)
				}
				out[typed.Spec.Names.Kind+" "+typed.Spec.Group+"/"+version.Name] = validator
			}
		}
	}
	return out
}

func read(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(definitions, name))
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// resolve puts shared schemas in the place of their names.
func resolve(t *testing.T, value any, shared map[string]json.RawMessage) any {
	switch value := value.(type) {
	case map[string]any:
		if name, ok := value["$ref"].(string); ok {
			var inner any
			if err := json.Unmarshal(shared[name], &inner); err != nil {
				t.Fatalf("schema %s: %v", name, err)
			}
			return resolve(t, inner, shared)
		}
		out := map[string]any{}
		for key, member := range value {
			out[key] = resolve(t, member, shared)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			out[i] = resolve(t, element, shared)
		}
		return out
	}
	return value
}

// plain is an object as a server reads it.
func plain(t *testing.T, value any) map[string]any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// namedByWebhook says whether JobSet's webhook fills in what the definition requires: that is asked after it.
func namedByWebhook(path string) bool {
	return strings.HasPrefix(path, "spec.failurePolicy.rules[") && strings.HasSuffix(path, "].name")
}

// A few are spoiled on purpose; all others are what the definitions allow.
func TestGeneratedObjectsAreValid(t *testing.T) {
	const cases = 150
	validators := schemas(t)
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			refused := 0
			var last string
			for seed := range int64(cases) {
				made := k.generate(seed)
				object := plain(t, made.Object)
				validator := validators[fmt.Sprint(object["kind"], " ", object["apiVersion"])]
				if validator == nil {
					t.Fatalf("there is no schema of %v %v", object["kind"], object["apiVersion"])
				}
				if object["kind"] != k.objectKind() {
					t.Fatalf("a %s for %s", object["kind"], k.name)
				}
				faults := validation.ValidateCustomResource(nil, object, validator)
				faults = slices.DeleteFunc(faults, func(fault *field.Error) bool { return namedByWebhook(fault.Field) })
				if len(faults) > 0 {
					refused++
					last = fmt.Sprintf("seed %d: %v", seed, faults)
				}
			}
			if refused > cases/12 {
				t.Errorf("%d of %d are refused; the last one: %s", refused, cases, last)
			}
		})
	}
}

// A recording's cases can be made again, and steps say what they mean.
func TestSeedsDecide(t *testing.T) {
	for _, k := range kinds {
		for seed := range int64(50) {
			first, second := k.generate(seed), k.generate(seed)
			if !reflect.DeepEqual(plain(t, first), plain(t, second)) || !reflect.DeepEqual(first.Steps, second.Steps) {
				t.Fatalf("%s: seed %d makes two cases", k.name, seed)
			}
			for _, step := range first.Steps {
				if step.choose == nil && step.Patch == nil && step.Status == "" {
					t.Errorf("%s: seed %d: a step to %s says of nothing", k.name, seed, step.Do)
				}
			}
		}
	}
}
