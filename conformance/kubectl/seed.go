package kubectl

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"loadline/conformance/server"
)

//go:embed manifests/seed.yaml
var seeds []byte

var resources = map[string]schema.GroupVersionResource{
	"Node":                {Version: "v1", Resource: "nodes"},
	"Pod":                 {Version: "v1", Resource: "pods"},
	"ResourceQuota":       {Version: "v1", Resource: "resourcequotas"},
	"LimitRange":          {Version: "v1", Resource: "limitranges"},
	"Event":               {Version: "v1", Resource: "events"},
	"PriorityClass":       {Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses"},
	"PodDisruptionBudget": {Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
}

// seed creates what the recorded commands found, with its status.
func seed(target *server.Server) error {
	client, err := dynamic.NewForConfig(target.Config())
	if err != nil {
		return err
	}
	for _, document := range bytes.Split(seeds, []byte("\n---\n")) {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(document, &object.Object); err != nil {
			return err
		}
		if err := seedOne(client, object); err != nil {
			return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return nil
}

func seedOne(client dynamic.Interface, object *unstructured.Unstructured) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var resource dynamic.ResourceInterface = client.Resource(resources[object.GetKind()])
	if namespace := object.GetNamespace(); namespace != "" {
		resource = client.Resource(resources[object.GetKind()]).Namespace(namespace)
	}
	if _, err := resource.Create(ctx, object, v1.CreateOptions{}); err != nil {
		return err
	}
	if object.Object["status"] == nil {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"status": object.Object["status"]})
	if err != nil {
		return err
	}
	_, err = resource.Patch(ctx, object.GetName(), types.MergePatchType, patch, v1.PatchOptions{}, "status")
	return err
}
