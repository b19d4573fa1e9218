package operators

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// watched are the resources of what operators make, and how they are called; beside the custom resources.
var watched = map[schema.GroupVersionResource]string{
	{Version: "v1", Resource: "pods"}:                                             "Pod",
	{Version: "v1", Resource: "services"}:                                         "Service",
	{Version: "v1", Resource: "configmaps"}:                                       "ConfigMap",
	{Version: "v1", Resource: "secrets"}:                                          "Secret",
	{Version: "v1", Resource: "serviceaccounts"}:                                  "ServiceAccount",
	{Version: "v1", Resource: "persistentvolumeclaims"}:                           "PersistentVolumeClaim",
	{Version: "v1", Resource: "events"}:                                           eventKind,
	{Group: "batch", Version: "v1", Resource: "jobs"}:                             "Job",
	{Group: "apps", Version: "v1", Resource: "statefulsets"}:                      "StatefulSet",
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}:        "Role",
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"}: "RoleBinding",
	{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}:   "HorizontalPodAutoscaler",
	{Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"}:            "Ingress",
	{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"}:            "PodDisruptionBudget",
}

const eventKind = "Event"

// observer knows every object of the namespaces of cases, and when something changed there last.
type observer struct {
	mutex      sync.Mutex
	namespaces map[string]*namespace
	gone       func(pod *unstructured.Unstructured) // called for pods that are to end
}

// namespace is what is known of one.
type namespace struct {
	changed time.Time
	objects map[string]*unstructured.Unstructured // by kind and name
	seen    []*unstructured.Unstructured          // everything that there ever was, in the order of its creation
	words   []word                                // that may be generated: names, and what operators call things besides
}

// word is a word of an object, and when that was written: watches of different kinds run ahead of each other, versions tell what came up first.
type word struct {
	version uint64
	text    string
}

const namespacePrefix = "case-"

// observe watches until the context ends.
func observe(ctx context.Context, client dynamic.Interface, custom map[schema.GroupVersionResource]string, gone func(*unstructured.Unstructured)) (*observer, error) {
	o := &observer{namespaces: map[string]*namespace{}, gone: gone}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	resources := maps.Clone(watched)
	maps.Copy(resources, custom)
	for resource, kind := range resources {
		if _, err := factory.ForResource(resource).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { o.see(kind, object, false) },
			UpdateFunc: func(_, object any) { o.see(kind, object, false) },
			DeleteFunc: func(object any) { o.see(kind, object, true) },
		}); err != nil {
			return nil, err
		}
	}
	factory.Start(ctx.Done())
	for resource, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return nil, fmt.Errorf("the informer of %s does not sync", resource)
		}
	}
	return o, nil
}

func (o *observer) see(kind string, value any, deleted bool) {
	if tombstone, ok := value.(cache.DeletedFinalStateUnknown); ok {
		value = tombstone.Obj
	}
	object, ok := value.(*unstructured.Unstructured)
	if !ok || !strings.HasPrefix(object.GetNamespace(), namespacePrefix) || isOfEachNamespace(kind, object.GetName()) {
		return
	}
	o.mutex.Lock()
	n := o.namespaces[object.GetNamespace()]
	if n == nil {
		n = &namespace{objects: map[string]*unstructured.Unstructured{}}
		o.namespaces[object.GetNamespace()] = n
	}
	key := kind + "/" + object.GetName()
	known := n.objects[key]
	if kind != eventKind || known == nil { // that an event comes again is no news
		n.changed = time.Now()
	}
	if deleted {
		delete(n.objects, key)
	} else {
		n.objects[key] = object
	}
	if known == nil && !deleted && kind != eventKind {
		n.seen = append(n.seen, object)
		n.note(object, object.GetName())
	}
	if kind != eventKind {
		n.note(object, wordsIn(object)...)
	}
	o.mutex.Unlock()
	if kind == "Pod" && !deleted && object.GetDeletionTimestamp() != nil {
		o.gone(object)
	}
}

func (n *namespace) note(object *unstructured.Unstructured, texts ...string) {
	version, _ := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
	for _, text := range texts {
		n.words = append(n.words, word{version, text})
	}
}

// wordsInOrder are its words in the order in which they came up.
func (n *namespace) wordsInOrder() []string {
	words := slices.Clone(n.words)
	slices.SortStableFunc(words, func(a, b word) int { return cmp.Compare(a.version, b.version) })
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = word.text
	}
	return texts
}

// wordsIn are the words of an object that an operator generates, but that are no object's name, or not yet.
func wordsIn(object *unstructured.Unstructured) []string {
	var words []string
	for _, field := range []string{"jobId", "rayClusterName"} {
		if word, _, _ := unstructured.NestedString(object.Object, "status", field); word != "" {
			words = append(words, word)
		}
	}
	if word := object.GetLabels()["ray.io/worker-group-replica-name"]; word != "" {
		words = append(words, word)
	}
	return words
}

// dashboard is the ConfigMap that says what Ray would say.
const dashboard = "ray-dashboard"

// isOfEachNamespace says whether such an object is no operator's: a controller makes it in each namespace, or we do.
func isOfEachNamespace(kind, name string) bool {
	return kind == "ConfigMap" && (name == "kube-root-ca.crt" || name == dashboard) || kind == "ServiceAccount" && name == "default"
}

// quiet waits until nothing has changed in any of the namespaces for so long. Those that go on changing are returned when the limit is reached.
func (o *observer) quiet(ctx context.Context, namespaces []string, silence, limit time.Duration) ([]string, error) {
	begin := time.Now()
	for {
		restless := o.changedAfter(namespaces, maxTime(begin, time.Now().Add(-silence)))
		since := time.Since(begin)
		if since >= silence && (len(restless) == 0 || since >= limit) {
			return restless, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (o *observer) changedAfter(namespaces []string, moment time.Time) []string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	var changed []string
	for _, name := range namespaces {
		if n := o.namespaces[name]; n != nil && n.changed.After(moment) {
			changed = append(changed, name)
		}
	}
	return changed
}

// get returns what there is in a namespace, and what it is called.
func (o *observer) get(name string) (map[string]*unstructured.Unstructured, *names) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if n := o.namespaces[name]; n != nil {
		return maps.Clone(n.objects), learn(n.wordsInOrder(), n.seen)
	}
	return nil, learn(nil, nil)
}

// object is the newest that is known of one.
func (o *observer) object(namespace, key string) *unstructured.Unstructured {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if n := o.namespaces[namespace]; n != nil {
		return n.objects[key]
	}
	return nil
}
