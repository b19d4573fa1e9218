package main

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	yamlv3 "go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"
	openapi "k8s.io/kube-openapi/pkg/util/proto"
	"sigs.k8s.io/yaml"
)

// The bytes that our encoder writes for a document, read by gnostic's own code, are that document; and kubectl's model
// can be made of them. LOADLINE_OPENAPI names another pair of NAME.json and NAME.pb.
func TestGnosticReadsWhatWeWrite(t *testing.T) {
	name := os.Getenv("LOADLINE_OPENAPI")
	if name == "" {
		name = "../../src/server/api/testdata/openapi_v2"
	}
	text, err := os.ReadFile(name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := os.ReadFile(name + ".pb")
	if err != nil {
		t.Fatal(err)
	}
	var document openapi_v2.Document
	if err := proto.Unmarshal(encoded, &document); err != nil {
		t.Fatal(err)
	}
	if rest := document.ProtoReflect().GetUnknown(); len(rest) > 0 {
		t.Errorf("%d bytes are no field of a document", len(rest))
	}
	again, err := yamlv3.Marshal(document.ToRawInfo())
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]any
	if err := yaml.Unmarshal(again, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	compareValues(t, "", got, want)
	models, err := openapi.NewOpenAPIData(&document)
	if err != nil {
		t.Fatal(err)
	}
	if len(models.ListModels()) == 0 {
		t.Error("there are no models")
	}
}

func compareValues(t *testing.T, path string, got, want any) {
	t.Helper()
	gotMap, isMap := got.(map[string]any)
	wantMap, bothMaps := want.(map[string]any)
	if !isMap || !bothMaps {
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
		return
	}
	for key := range wantMap {
		compareValues(t, path+"/"+key, gotMap[key], wantMap[key])
	}
	for key := range gotMap {
		if _, ok := wantMap[key]; !ok {
			t.Errorf("%s/%s: got %v, want nothing", path, key, gotMap[key])
		}
	}
}
