// Package admission does with objects what the API server does before a scheduler sees them.
package admission

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/policy"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	policyvalidation "k8s.io/kubernetes/pkg/apis/policy/validation"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	"k8s.io/kubernetes/pkg/apis/storage"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"
	podregistry "k8s.io/kubernetes/pkg/registry/core/pod"
	podgroupregistry "k8s.io/kubernetes/pkg/registry/scheduling/podgroup"

	"loadline/conformance/recording"
)

// AdmitPod defaults, prepares and validates a pod as its creation does, and keeps its node and its status.
func AdmitPod(pod *corev1.Pod) (*corev1.Pod, error) {
	admitted, status := pod.DeepCopy(), pod.Status
	legacyscheme.Scheme.Default(admitted)
	internal := &core.Pod{}
	if err := legacyscheme.Scheme.Convert(admitted, internal, nil); err != nil {
		return nil, err
	}
	ctx := genericapirequest.WithNamespace(context.Background(), pod.Namespace)
	podregistry.Strategy.PrepareForCreate(ctx, internal)
	if faults := podregistry.Strategy.Validate(ctx, internal); len(faults) > 0 {
		return nil, fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, faults.ToAggregate())
	}
	stored := &corev1.Pod{}
	if err := legacyscheme.Scheme.Convert(internal, stored, nil); err != nil {
		return nil, err
	}
	stored.Status = status
	return stored, nil
}

// Default gives every object of an input the defaults of its kind. It changes the input.
func Default(input *recording.Input) {
	eachObject(input, DefaultObject)
}

// DefaultObject gives an object the defaults of its kind. It changes the object.
func DefaultObject(object runtime.Object) { legacyscheme.Scheme.Default(object) }

// Validate looks for what the API server would not have let pass, in an input that has its defaults.
func Validate(input *recording.Input) error {
	var first error
	eachObject(input, func(object runtime.Object) {
		if first == nil {
			first = validate(object)
		}
	})
	return first
}

func eachObject(input *recording.Input, visit func(runtime.Object)) {
	visitAll(input.Namespaces, visit)
	visitAll(input.PodGroups, visit)
	visitAll(input.Nodes, visit)
	visitAll(input.Pods, visit)
	visitAll(input.PendingPods, visit)
	visitAll(input.Services, visit)
	visitAll(input.PDBs, visit)
	visitAll(input.ReplicationControllers, visit)
	visitAll(input.ReplicaSets, visit)
	visitAll(input.StatefulSets, visit)
	visitAll(input.PersistentVolumes, visit)
	visitAll(input.PersistentVolumeClaims, visit)
	visitAll(input.StorageClasses, visit)
	visitAll(input.CSINodes, visit)
	visitAll(input.CSIDrivers, visit)
	visitAll(input.CSIStorageCapacities, visit)
	visitAll(input.VolumeAttachments, visit)
	for _, event := range input.Events {
		if event.AddPod != nil {
			visit(event.AddPod)
		}
		if event.AddPodGroup != nil {
			visit(event.AddPodGroup)
		}
		if event.UpdateNode != nil {
			visit(event.UpdateNode)
		}
		if event.AddNode != nil {
			visit(event.AddNode)
		}
		if event.UpdateNamespace != nil {
			visit(event.UpdateNamespace)
		}
	}
}

func visitAll[T runtime.Object](list []T, visit func(runtime.Object)) {
	for _, object := range list {
		visit(object)
	}
}

func validate(object runtime.Object) error {
	kinds, _, err := legacyscheme.Scheme.ObjectKinds(object)
	if err != nil {
		return err
	}
	internal, err := legacyscheme.Scheme.ConvertToVersion(object, runtime.InternalGroupVersioner)
	if err != nil {
		return err
	}
	if faults := faults(internal); len(faults) > 0 {
		return fmt.Errorf("%s: %w", kinds[0].Kind, faults.ToAggregate())
	}
	return nil
}

func faults(object runtime.Object) field.ErrorList {
	switch object := object.(type) {
	case *core.Namespace:
		return corevalidation.ValidateNamespace(object)
	case *core.Node:
		return corevalidation.ValidateNode(object)
	case *core.Pod:
		return podregistry.Strategy.Validate(genericapirequest.WithNamespace(context.Background(), object.Namespace), object)
	case *core.ReplicationController:
		return corevalidation.ValidateReplicationController(object, corevalidation.PodValidationOptions{})
	case *apps.ReplicaSet:
		return appsvalidation.ValidateReplicaSet(object, corevalidation.PodValidationOptions{})
	case *apps.StatefulSet:
		return appsvalidation.ValidateStatefulSet(object, corevalidation.PodValidationOptions{})
	case *policy.PodDisruptionBudget:
		return policyvalidation.ValidatePodDisruptionBudget(object, policyvalidation.PodDisruptionBudgetValidationOptions{})
	case *core.PersistentVolume:
		return corevalidation.ValidatePersistentVolume(object, corevalidation.ValidationOptionsForPersistentVolume(object, nil))
	case *core.PersistentVolumeClaim:
		return corevalidation.ValidatePersistentVolumeClaim(object, corevalidation.ValidationOptionsForPersistentVolumeClaim(object, nil))
	case *scheduling.PodGroup:
		request := &genericapirequest.RequestInfo{APIGroup: scheduling.GroupName, APIVersion: "v1alpha2", Resource: "podgroups"}
		ctx := genericapirequest.WithRequestInfo(context.Background(), request)
		strategy := podgroupregistry.NewStrategy()
		strategy.PrepareForCreate(ctx, object) // what defaulting sets, and a gate that is off takes away
		return strategy.Validate(genericapirequest.WithNamespace(ctx, object.Namespace), object)
	case *storage.StorageClass:
		return storagevalidation.ValidateStorageClass(object)
	case *storage.CSINode:
		return storagevalidation.ValidateCSINode(object)
	case *storage.CSIDriver:
		return storagevalidation.ValidateCSIDriver(object)
	case *storage.CSIStorageCapacity:
		return storagevalidation.ValidateCSIStorageCapacity(object, storagevalidation.CSIStorageCapacityValidateOptions{})
	case *storage.VolumeAttachment:
		return storagevalidation.ValidateVolumeAttachment(object)
	}
	return nil
}
