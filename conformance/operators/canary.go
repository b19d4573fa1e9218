package operators

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// canaries are objects by which we see that a controller has done all that it was given before: each asks for nothing but a word in its status. Controllers
// work through what they are given in its order; so once the word is there, and nothing else changed meanwhile, they rest. On a busy machine, no time would
// tell that they do.
type canaries struct {
	stage   *stage
	species []species
	flown   int
}

// species is a kind of canary.
type species struct {
	resource schema.GroupVersionResource
	kind     string
	make     func(name string) object
	answered func(object map[string]any) bool
	silent   bool // nobody answers: there is no such controller here
}

const canaryNamespace = namespacePrefix + "canary"

// newCanaries makes those of the kind's controller, and of the built-in ones that the operator needs.
func newCanaries(s *stage, k kind) *canaries {
	c := &canaries{stage: s}
	if k.canary != nil {
		c.species = append(c.species, species{resource: k.resource, kind: k.objectKind(), make: k.canary, answered: saysSomething})
	}
	pods := object{"metadata": object{"labels": object{"app": "canary"}}, "spec": object{"restartPolicy": "Never", "containers": []any{object{"name": "c", "image": "c"}}}}
	if slices.Contains(k.operator.controllers, "job-controller") {
		c.species = append(c.species, species{resource: schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}, kind: "Job", answered: saysSomething,
			make: func(name string) object {
				return object{"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": name}, "spec": object{"suspend": true, "template": pods}}
			}})
	}
	if slices.Contains(k.operator.controllers, "statefulset-controller") {
		always := object{"metadata": pods["metadata"], "spec": object{"containers": []any{object{"name": "c", "image": "c"}}}}
		c.species = append(c.species, species{resource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "statefulsets"}, kind: "StatefulSet",
			answered: func(o map[string]any) bool {
				generation, _, _ := unstructured.NestedInt64(o, "status", "observedGeneration")
				return generation > 0
			},
			make: func(name string) object {
				return object{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": object{"name": name}, "spec": object{"replicas": 0, "serviceName": "canary",
					"selector": object{"matchLabels": object{"app": "canary"}}, "template": always}}
			}})
	}
	return c
}

// saysSomething says whether a status tells that the object is suspended, or complete.
func saysSomething(object map[string]any) bool {
	conditions, _, _ := unstructured.NestedSlice(object, "status", "conditions")
	for _, condition := range conditions {
		fields, _ := condition.(map[string]any)
		switch fields["type"] {
		case "Suspended", "Available", "RayClusterSuspended":
			return true
		}
	}
	status, _, _ := unstructured.NestedString(object, "status", "jobDeploymentStatus")
	return status == "Suspended"
}

const (
	firstAnswer = 15 * time.Second // later than that, no controller is there
	anyAnswer   = 4 * time.Minute
)

// fly lets one of each species fly, and waits for their answers; twice, since what one controller does may be work for another.
func (c *canaries) fly(ctx context.Context) error {
	if c.flown == 0 {
		space := &corev1.Namespace{ObjectMeta: v1.ObjectMeta{Name: canaryNamespace}}
		if _, err := c.stage.typed.CoreV1().Namespaces().Create(ctx, space, v1.CreateOptions{}); err != nil && !errors.IsAlreadyExists(err) {
			return err
		}
	}
	for range 2 {
		c.flown++
		name := fmt.Sprintf("canary-%d-%d", time.Now().Unix()%100000, c.flown)
		for i := range c.species {
			if !c.species[i].silent {
				if err := c.flyOne(ctx, &c.species[i], fmt.Sprintf("%s-%d", name, i)); err != nil {
					return err
				}
			}
		}
		if c.stage.collects {
			if err := c.collect(ctx, name); err != nil {
				return err
			}
		}
	}
	return c.stage.server.Crashed()
}

func (c *canaries) flyOne(ctx context.Context, s *species, name string) error {
	canary, err := asUnstructured(s.make(name))
	if err != nil {
		return err
	}
	objects := c.stage.dynamic.Resource(s.resource).Namespace(canaryNamespace)
	if _, err := objects.Create(ctx, canary, v1.CreateOptions{}); err != nil {
		return fmt.Errorf("canary: %w", err)
	}
	limit := anyAnswer
	if c.flown == 1 {
		limit = firstAnswer
		if c.stage.operated {
			limit = anyAnswer
		}
	}
	answered := c.await(ctx, limit, func() bool {
		seen := c.stage.observer.object(canaryNamespace, s.kind+"/"+name)
		return seen != nil && s.answered(seen.Object)
	})
	_ = objects.Delete(ctx, name, v1.DeleteOptions{})
	if answered {
		return nil
	}
	if c.stage.operated || c.flown > 1 {
		return fmt.Errorf("the controller of %s does not answer", s.kind)
	}
	s.silent = true
	return nil
}

// collect waits until the garbage collector has removed what belongs to an object that is gone.
func (c *canaries) collect(ctx context.Context, name string) error {
	maps := c.stage.typed.CoreV1().ConfigMaps(canaryNamespace)
	owner, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: v1.ObjectMeta{Name: name}}, v1.CreateOptions{})
	if err != nil {
		return err
	}
	reference := v1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}
	owned := name + "-owned"
	if _, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: v1.ObjectMeta{Name: owned, OwnerReferences: []v1.OwnerReference{reference}}}, v1.CreateOptions{}); err != nil {
		return err
	}
	if err := maps.Delete(ctx, name, v1.DeleteOptions{}); err != nil {
		return err
	}
	if !c.await(ctx, anyAnswer, func() bool {
		_, err := maps.Get(ctx, owned, v1.GetOptions{})
		return errors.IsNotFound(err)
	}) {
		return fmt.Errorf("the garbage collector does not answer")
	}
	return nil
}

func (c *canaries) await(ctx context.Context, limit time.Duration, ready func() bool) bool {
	for end := time.Now().Add(limit); !ready(); {
		if time.Now().After(end) || ctx.Err() != nil {
			return false
		}
		time.Sleep(20 * time.Millisecond)
	}
	return true
}
