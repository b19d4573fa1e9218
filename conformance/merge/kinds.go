package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// An Object is a pointer to one of Kubernetes' structs.
type Object interface {
	runtime.Object
	metav1.Object
}

// A Kind is what cases are about, with the field managers of its endpoints.
type Kind struct {
	schema.GroupVersionKind
	empty    Object
	managers map[string]*managedfields.FieldManager // by subresource
}

func (k *Kind) create() Object {
	object := k.empty.DeepCopyObject().(Object)
	object.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	return object
}

func newKinds(folder string) ([]*Kind, error) {
	converter, err := newConverter(folder)
	if err != nil {
		return nil, err
	}
	kinds := []*Kind{
		{GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Pod"), empty: &corev1.Pod{}},
		{GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Service"), empty: &corev1.Service{}},
		{GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Node"), empty: &corev1.Node{}},
		{GroupVersionKind: corev1.SchemeGroupVersion.WithKind("ConfigMap"), empty: &corev1.ConfigMap{}},
		{GroupVersionKind: corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"), empty: &corev1.PersistentVolumeClaim{}},
		{GroupVersionKind: appsv1.SchemeGroupVersion.WithKind("Deployment"), empty: &appsv1.Deployment{}},
		{GroupVersionKind: rbacv1.SchemeGroupVersion.WithKind("ClusterRole"), empty: &rbacv1.ClusterRole{}},
	}
	for _, kind := range kinds {
		kind.managers = map[string]*managedfields.FieldManager{}
		for subresource, reset := range map[string]*fieldpath.Set{
			"":       fieldpath.NewSet(fieldpath.MakePathOrDie("status")),
			"status": fieldpath.NewSet(fieldpath.MakePathOrDie("spec")),
		} {
			filters := fieldpath.NewExcludeFilterSetMap(map[fieldpath.APIVersion]*fieldpath.Set{
				fieldpath.APIVersion(kind.GroupVersion().String()): reset,
			})
			kind.managers[subresource], err = managedfields.NewDefaultFieldManager(converter, scheme.Scheme, noDefaults{},
				scheme.Scheme, kind.GroupVersionKind, kind.GroupVersion(), subresource, filters)
			if err != nil {
				return nil, err
			}
		}
	}
	return kinds, nil
}

// noDefaults leaves objects as they are: defaulting is no part of merging.
type noDefaults struct{}

func (noDefaults) Default(runtime.Object) {}

func newConverter(folder string) (managedfields.TypeConverter, error) {
	schemas := map[string]*spec.Schema{}
	for _, group := range []string{"api__v1", "apis__apps__v1", "apis__rbac.authorization.k8s.io__v1"} {
		text, err := os.ReadFile(filepath.Join(folder, group+"_openapi.json"))
		if err != nil {
			return nil, err
		}
		var document spec3.OpenAPI
		if err := json.Unmarshal(text, &document); err != nil {
			return nil, err
		}
		for name, one := range document.Components.Schemas {
			schemas[strings.TrimPrefix(name, "#/components/schemas/")] = one
		}
	}
	return managedfields.NewTypeConverter(schemas, false)
}
