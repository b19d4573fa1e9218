package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// source is where one project keeps CustomResourceDefinitions: files of a Go module.
type source struct {
	project string
	module  string
	files   []string // patterns below the module's folder
}

var sources = []source{
	{"kueue", "sigs.k8s.io/kueue@v0.19.2", []string{"config/components/crd/bases/*.yaml"}},
	{"volcano", "volcano.sh/volcano@v1.15.1", []string{"config/crd/volcano/bases/*.yaml", "config/crd/jobflow/bases/*.yaml"}},
	{"karpenter", "sigs.k8s.io/karpenter@v1.14.1", []string{"pkg/apis/crds/karpenter*.yaml", "kwok/apis/crds/*.yaml"}},
	{"karpenter", "github.com/aws/karpenter-provider-aws@v1.14.0", []string{"pkg/apis/crds/karpenter.k8s.aws*.yaml"}},
	{"jobset", "sigs.k8s.io/jobset@v0.12.0", []string{"config/components/crd/bases/*.yaml"}},
	{"leaderworkerset", "sigs.k8s.io/lws@v0.9.0", []string{"config/crd/bases/*.yaml"}},
	{"ray", "github.com/ray-project/kuberay/ray-operator@v1.6.2", []string{"config/crd/bases/*.yaml"}},
	{"kubeflow", "github.com/kubeflow/mpi-operator@v0.7.0", []string{"manifests/base/kubeflow.org_mpijobs.yaml"}},
	{"kubeflow", "github.com/kubeflow/training-operator@v1.9.3", []string{"manifests/base/crds/kubeflow.org_*.yaml"}},
	{"kubeflow", "github.com/kubeflow/trainer/v2@v2.2.1", []string{"manifests/base/crds/trainer*.yaml"}},
	{"kwok", "sigs.k8s.io/kwok@v0.8.0", []string{"kustomize/crd/bases/*.yaml"}},
	{"autoscaler", "k8s.io/autoscaler/cluster-autoscaler/apis@v0.0.0-20240830133931-adfbe7e45277",
		[]string{"config/crd/autoscaling*.yaml"}},
}

// handwritten are the files of the folder crds/ that are not made from modules: Loadline's own kinds, those of which only
// Go types are read, the descheduler's, which has no definition, and Grove's, whose modules are not with every proxy. They may refer to shared schemas of pods.
// foreign says where the kinds of other projects are from.
var handwritten = []string{"coscheduling.json", "descheduler.json", "gpu_operator.json", "grove.json", "kai.json", "kai_topology.json", "karpenter_v1alpha5.json",
	"koordinator.json", "loadline.json"}
var foreign = map[string]string{
	"clusterpolicies.nvidia.com":             "github.com/NVIDIA/gpu-operator (api/nvidia/v1)",
	"clustertopologybindings.grove.io":       groveAPI,
	"deschedulerpolicies.descheduler":        "sigs.k8s.io/descheduler (pkg/api/v1alpha1 and v1alpha2)",
	"podcliques.grove.io":                    groveAPI,
	"podcliquescalinggroups.grove.io":        groveAPI,
	"podcliquesets.grove.io":                 groveAPI,
	"podgangs.scheduler.grove.io":            "github.com/ai-dynamo/grove/scheduler/api@v0.1.0-alpha.11",
	"podgroups.scheduling.run.ai":            "github.com/kai-scheduler/KAI-scheduler (pkg/apis/scheduling/v2alpha2)",
	"podgroups.scheduling.x-k8s.io":          "sigs.k8s.io/scheduler-plugins (apis/scheduling/v1alpha1)",
	"topologies.kai.scheduler":               "github.com/kai-scheduler/KAI-Scheduler (pkg/apis/kai/v1alpha1)",
	"provisioners.karpenter.sh":              "github.com/aws/karpenter-core (pkg/apis/v1alpha5, v0.31)",
	"reservations.scheduling.koordinator.sh": "github.com/koordinator-sh/koordinator (apis/scheduling/v1alpha1)",
}

const groveAPI = "github.com/ai-dynamo/grove/operator/api@v0.1.0-alpha.11"

// definitionTables are the files of the folder crds/ by name. Schemas that occur more than once, in whichever projects,
// stand once in schemas.json; elsewhere {"$ref":"<id>"} stands for them, which no CustomResourceDefinition may contain.
func definitionTables(offline bool) (map[string][]byte, error) {
	projects := map[string][]map[string]any{}
	origins := maps.Clone(foreign)
	for _, from := range sources {
		folder, err := download(from.module, offline)
		if err != nil {
			return nil, err
		}
		for _, pattern := range from.files {
			if err := readDefinitions(filepath.Join(folder, pattern), from, projects, origins); err != nil {
				return nil, err
			}
		}
	}
	shared := newSharing()
	for _, definitions := range projects {
		for _, definition := range definitions {
			forEachSchema(definition, func(schema map[string]any) any { shared.count(schema); return schema })
		}
	}
	files := map[string][]byte{}
	for project, definitions := range projects {
		slices.SortFunc(definitions, func(a, b map[string]any) int { return strings.Compare(nameOf(a), nameOf(b)) })
		var lines []string
		for _, definition := range definitions {
			forEachSchema(definition, shared.refer)
			lines = append(lines, encode(definition))
		}
		files[project+".json"] = []byte("[\n" + strings.Join(lines, ",\n") + "\n]\n")
	}
	files["schemas.json"] = shared.table()
	files["sources.json"] = originTable(origins)
	return files, nil
}

// originTable tells of each definition which module it is from, one a line.
func originTable(origins map[string]string) []byte {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(origins)) {
		lines = append(lines, encode(name)+":"+encode(origins[name]))
	}
	return []byte("{\n" + strings.Join(lines, ",\n") + "\n}\n")
}

// download is where the module cache has a module that go.mod does not require.
func download(module string, offline bool) (string, error) {
	command := exec.Command("go", "mod", "download", "-json", module)
	command.Dir = os.TempDir() // outside of any module: go.mod stays as it is
	command.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	if offline {
		command.Env = append(command.Env, "GOPROXY=off")
	}
	out, err := command.Output()
	var answer struct{ Dir, Error string }
	if json.Unmarshal(out, &answer) != nil || answer.Error != "" || err != nil {
		return "", fmt.Errorf("download %s: %s (%v)", module, answer.Error, err)
	}
	return answer.Dir, nil
}

func readDefinitions(pattern string, from source, projects map[string][]map[string]any, origins map[string]string) error {
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("no files match %s (%v)", pattern, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, document := range bytes.Split(text, []byte("\n---")) {
			definition := map[string]any{}
			if err := yaml.Unmarshal(document, &definition); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if definition["kind"] != "CustomResourceDefinition" {
				continue
			}
			projects[from.project] = addDefinition(projects[from.project], tidy(definition))
			if name := nameOf(definition); origins[name] == "" {
				origins[name] = from.module
			} else {
				origins[name] += ", " + from.module
			}
		}
	}
	return nil
}

// addDefinition appends a definition, or, if its resource is defined already, its versions to that one: the MPI operator
// and the training operator both define mpijobs, in versions of their own. The first one says which is stored.
func addDefinition(definitions []map[string]any, definition map[string]any) []map[string]any {
	for _, known := range definitions {
		if nameOf(known) != nameOf(definition) {
			continue
		}
		into := known["spec"].(map[string]any)
		for _, version := range definition["spec"].(map[string]any)["versions"].([]any) {
			version.(map[string]any)["storage"] = false
			into["versions"] = append(into["versions"].([]any), version)
		}
		return definitions
	}
	return append(definitions, definition)
}

func nameOf(definition map[string]any) string {
	return definition["metadata"].(map[string]any)["name"].(string)
}

// tidy leaves of a definition what an API server needs: no prose, no webhooks, no traces of the generator.
func tidy(definition map[string]any) map[string]any {
	metadata := map[string]any{"name": nameOf(definition)}
	annotations, _ := definition["metadata"].(map[string]any)["annotations"].(map[string]any)
	if approved, ok := annotations["api-approved.kubernetes.io"]; ok {
		metadata["annotations"] = map[string]any{"api-approved.kubernetes.io": approved}
	}
	spec := definition["spec"].(map[string]any)
	delete(spec, "conversion")
	delete(spec, "preserveUnknownFields")
	for _, version := range spec["versions"].([]any) {
		columns, _ := version.(map[string]any)["additionalPrinterColumns"].([]any)
		for _, column := range columns {
			delete(column.(map[string]any), "description")
		}
	}
	tidied := map[string]any{
		"apiVersion": definition["apiVersion"], "kind": definition["kind"], "metadata": metadata, "spec": spec,
	}
	forEachSchema(tidied, func(schema map[string]any) any {
		for _, prose := range []string{"description", "title", "example", "externalDocs"} {
			delete(schema, prose)
		}
		return schema
	})
	return tidied
}

// forEachSchema replaces every schema of a definition by what `change` makes of it, innermost first.
func forEachSchema(definition map[string]any, change func(map[string]any) any) {
	for _, version := range definition["spec"].(map[string]any)["versions"].([]any) {
		holder, _ := version.(map[string]any)["schema"].(map[string]any)
		if root, ok := holder["openAPIV3Schema"].(map[string]any); ok {
			holder["openAPIV3Schema"] = changeSchema(root, change)
		}
	}
}

func changeSchema(schema map[string]any, change func(map[string]any) any) any {
	for _, key := range []string{"properties", "patternProperties", "definitions"} {
		if members, ok := schema[key].(map[string]any); ok {
			for name, member := range members {
				members[name] = changeSchema(member.(map[string]any), change)
			}
		}
	}
	for _, key := range []string{"items", "additionalProperties", "not"} {
		if inner, ok := schema[key].(map[string]any); ok {
			schema[key] = changeSchema(inner, change)
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := schema[key].([]any)
		for i, inner := range list {
			list[i] = changeSchema(inner.(map[string]any), change)
		}
	}
	return change(schema)
}

// sharing finds equal schemas, and gives each a name by its content, so that a change leaves other names alone.
type sharing struct {
	counts map[string]int    // by the schema's text
	shared map[string]string // name to text
	names  map[string]string // text as it was counted, to name
}

// leastShared is the shortest schema worth a name of its own.
const leastShared = 60

func newSharing() *sharing {
	return &sharing{map[string]int{}, map[string]string{}, map[string]string{}}
}

func (s *sharing) count(schema map[string]any) { s.counts[encode(schema)]++ }

// refer is called innermost first: what it gets has references inside already, and so has what it was counted as, since
// equal schemas have equal references.
func (s *sharing) refer(schema map[string]any) any {
	whole := encode(s.expand(schema))
	if s.counts[whole] < 2 || len(whole) < leastShared {
		return schema
	}
	name, known := s.names[whole]
	if !known {
		sum := sha256.Sum256([]byte(whole))
		name = hex.EncodeToString(sum[:4])
		if _, taken := s.shared[name]; taken {
			panic("two schemas have the name " + name)
		}
		s.names[whole] = name
		s.shared[name] = encode(schema)
	}
	return map[string]any{"$ref": name}
}

// expand is the schema without references.
func (s *sharing) expand(value any) any {
	switch value := value.(type) {
	case map[string]any:
		if name, ok := value["$ref"].(string); ok {
			var inner any
			if err := json.Unmarshal([]byte(s.shared[name]), &inner); err != nil {
				panic(err)
			}
			return s.expand(inner)
		}
		out := map[string]any{}
		for key, member := range value {
			out[key] = s.expand(member)
		}
		return out
	case []any:
		out := []any{}
		for _, element := range value {
			out = append(out, s.expand(element))
		}
		return out
	}
	return value
}

func (s *sharing) table() []byte {
	var lines []string
	for name, text := range s.shared {
		lines = append(lines, encode(name)+":"+text)
	}
	slices.Sort(lines)
	return []byte("{\n" + strings.Join(lines, ",\n") + "\n}\n")
}
