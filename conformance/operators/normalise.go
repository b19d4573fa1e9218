package operators

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// names is what this run calls what another run calls otherwise: generated names and UIDs. One name stands for one name throughout a case.
type names struct {
	canonical map[string]string // generated name to canonical name
	actual    map[string]string // canonical name to generated name
	replacer  *strings.Replacer // of all of them, in texts
	hashes    map[string]string // hash to canonical hash
}

// Generated names end in five of the characters that Kubernetes generates names of: no vowels, so that few words look like it.
var generatedName = regexp.MustCompile(`^(.+-)[bcdfghjklmnpqrstvwxz2456789]{5}$`)

var (
	timestamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	supported = regexp.MustCompile(`supported values: ("[^"]*"(, )?)+`)
	revision  = regexp.MustCompile(`(revision with key )\S+`)
	portIndex = regexp.MustCompile(`ports\[\d+\]`) // of ports from a Go map
	elapsed   = regexp.MustCompile(`\b\d+(\.\d+)?(ns|µs|ms|s)\b`)
)

const someTime = "<time>"

// learn learns the names of everything that there ever was in a namespace. Generated ones are counted in the order in which they came up.
func learn(words []string, seen []*unstructured.Unstructured) *names {
	n := &names{canonical: map[string]string{}, actual: map[string]string{}, hashes: map[string]string{}}
	counts := map[string]int{}
	for _, word := range words {
		match := generatedName.FindStringSubmatch(word)
		if match == nil || n.canonical[word] != "" {
			continue
		}
		// The prefix may hold a generated name itself.
		prefix := n.within(match[1])
		canonical := fmt.Sprintf("%s~%d", prefix, counts[prefix])
		counts[prefix]++
		n.canonical[word], n.actual[canonical] = canonical, word
	}
	pairs := make([]string, 0, 2*len(n.canonical)+2*len(seen))
	for _, generated := range longestFirst(n.canonical) {
		pairs = append(pairs, generated, n.canonical[generated])
	}
	for _, object := range seen {
		pairs = append(pairs, string(object.GetUID()), fmt.Sprintf("<uid of %s %s>", object.GetKind(), n.within(object.GetName())))
	}
	n.replacer = strings.NewReplacer(pairs...)
	return n
}

func longestFirst(names map[string]string) []string {
	return slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
}

// within replaces the generated names that are known so far in a text.
func (n *names) within(text string) string {
	for _, generated := range longestFirst(n.canonical) {
		text = strings.ReplaceAll(text, generated, n.canonical[generated])
	}
	return text
}

// refusal is what a server said. Lists that are made of Go maps are brought into one order.
func (n *names) refusal(text string) string {
	return supported.ReplaceAllStringFunc(n.text(text), func(list string) string {
		head, values, _ := strings.Cut(list, ": ")
		return head + ": " + strings.Join(slices.Sorted(strings.SplitSeq(values, ", ")), ", ")
	})
}

func (n *names) text(text string) string {
	return timestamp.ReplaceAllString(n.replacer.Replace(text), someTime)
}

// Keys whose values are not compared: what a run decides, and what tells of no more than how often something was written, or of which state of another
// object, which is compared itself, was seen last.
var ignoredKeys = map[string]bool{"uid": true, "resourceVersion": true, "generation": true, "managedFields": true, "selfLink": true, "creationTimestamp": true,
	"nodeName": true, "rayClusterStatus": true}

// Keys whose values are hashes of whole objects: only equality means something.
var hashKeys = map[string]bool{"leaderworkerset.sigs.k8s.io/template-revision-hash": true, "controller-revision-hash": true, "pod-template-hash": true,
	"statefulset.kubernetes.io/revision": true, "ray.io/hash-without-replicas-and-workers-to-delete": true, "ray.io/rayservice-serving-cluster-name": false}

var addressKeys = map[string]bool{"clusterIP": true, "clusterIPs": true, "serviceIP": true}

// Keys of ports that the server chooses, if they are in its range.
var portKeys = map[string]bool{"nodePort": true, "healthCheckNodePort": true, "endpoints": true}

func isNodePort(text string) bool {
	port, err := strconv.Atoi(text)
	return err == nil && port >= 30000 && port <= 32767
}

// value normalises a value that stands under a key.
func (n *names) value(key string, value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(value)) { // in order, so that hashes are counted alike
			if member := value[k]; !ignoredKeys[k] && member != nil {
				inner := k
				if key == "endpoints" {
					inner = key // whose members have names of their own
				}
				out[n.text(k)] = n.value(inner, member)
			}
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			out[i] = n.value(key, element)
		}
		return out
	case string:
		switch {
		case hashKeys[key] && value != "":
			return n.hash(value)
		case addressKeys[key] && value != "" && value != "None" && value != podAddress:
			return "<address>"
		case portKeys[key] && isNodePort(value):
			return "<port>"
		}
		return n.text(value)
	case int64:
		if portKeys[key] && isNodePort(strconv.FormatInt(value, 10)) {
			return "<port>"
		}
		return float64(value) // as it is read from a recording
	}
	return value
}

func (n *names) hash(text string) string {
	if n.hashes[text] == "" {
		n.hashes[text] = fmt.Sprintf("<hash %d>", len(n.hashes))
	}
	return n.hashes[text]
}

// object leaves of an object what is compared: of the custom resource all, of others no status, but the phase of pods.
func (n *names) object(kind string, custom bool, object map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range object {
		switch key {
		case "apiVersion", "kind":
		case "metadata":
			metadata := n.value("", value).(map[string]any)
			for _, ignored := range []string{"name", "namespace", "generateName", "deletionGracePeriodSeconds"} {
				delete(metadata, ignored)
			}
			out[key] = metadata
		case "status":
			if custom {
				out[key] = n.value("", value)
				forgetSelectors(out[key])
			} else if status, ok := value.(map[string]any); ok && kind == "Pod" {
				out["phase"] = status["phase"]
			}
		case "data", "binaryData":
			if kind == "Secret" { // keys are made anew in each run
				out[key] = hidden(value)
			} else {
				out[key] = n.value("", value)
			}
		default:
			out[key] = n.value("", value)
		}
	}
	return out
}

// forgetSelectors takes the selectors of roles from the status of a job that has succeeded: the training-operator goes through the roles in the order of a
// Go map, and stops where it finds that the job is done, so that one role may have its selector and another may not.
func forgetSelectors(status any) {
	fields, _ := status.(map[string]any)
	roles, _ := fields["replicaStatuses"].(map[string]any)
	conditions, _ := fields["conditions"].([]any)
	succeeded := slices.ContainsFunc(conditions, func(condition any) bool {
		c, _ := condition.(map[string]any)
		return c["type"] == "Succeeded"
	})
	for _, role := range roles {
		if counts, ok := role.(map[string]any); ok && succeeded {
			delete(counts, "selector")
		}
	}
}

func hidden(value any) any {
	out := map[string]any{}
	data, _ := value.(map[string]any)
	for key := range data {
		out[key] = "<secret>"
	}
	return out
}

// state normalises all that there is in a namespace. Events are only those that tell of the operator's work: about custom resources, and by its components.
func (n *names) state(objects map[string]*unstructured.Unstructured, custom map[string]bool, told map[string]bool) State {
	state := State{Objects: map[string]any{}}
	for _, key := range slices.Sorted(maps.Keys(objects)) { // in order, so that hashes are counted alike
		object := objects[key].DeepCopy()
		kind, _, _ := strings.Cut(key, "/")
		if kind == eventKind {
			if event := n.event(object.Object, custom); event != "" && !told[event] {
				told[event] = true
				state.Events = append(state.Events, event)
			}
			continue
		}
		if kind == "Service" {
			sortPorts(object)
		}
		state.Objects[kind+"/"+n.text(object.GetName())] = n.object(kind, custom[kind], object.Object)
	}
	slices.Sort(state.Events)
	return state
}

// sortPorts brings the ports of a Service into one order: operators may take them from a Go map.
func sortPorts(service *unstructured.Unstructured) {
	spec, _ := service.Object["spec"].(map[string]any)
	ports, ok := spec["ports"].([]any)
	if !ok {
		return
	}
	ports = slices.Clone(ports)
	slices.SortFunc(ports, func(a, b any) int { return strings.Compare(portKey(a), portKey(b)) })
	spec["ports"] = ports
}

func portKey(port any) string {
	fields, _ := port.(map[string]any)
	return fmt.Sprintf("%v %v", fields["name"], fields["port"])
}

// builtIn are the components whose events are no operator's.
var builtIn = map[string]bool{"job-controller": true, "statefulset-controller": true, "default-scheduler": true, "kubelet": true, "taint-eviction-controller": true,
	"horizontal-pod-autoscaler": true, "persistentvolume-controller": true, "endpoint-controller": true, "endpoint-slice-controller": true}

// event is its text, or empty if it is not compared: events about other objects that a built-in controller tells of, and those that client-go made of many.
func (n *names) event(event map[string]any, custom map[string]bool) string {
	about, _, _ := unstructured.NestedMap(event, "involvedObject")
	component, _, _ := unstructured.NestedString(event, "source", "component")
	if component == "" {
		component, _ = event["reportingComponent"].(string)
	}
	kind, _ := about["kind"].(string)
	name, _ := about["name"].(string)
	message, _ := event["message"].(string)
	if !custom[kind] && builtIn[component] || strings.HasPrefix(message, "(combined from similar events)") {
		return ""
	}
	lines := strings.Split(message, "\n") // what was tried at the same time fails in any order
	slices.Sort(lines)
	message = strings.Join(lines, "\n")
	message = revision.ReplaceAllString(message, "$1<hash>")
	message = portIndex.ReplaceAllString(message, "ports[n]")
	message = elapsed.ReplaceAllString(n.text(message), "<duration>")
	return fmt.Sprintf("%s %s %s/%s: %s", event["type"], event["reason"], kind, n.text(name), message)
}
