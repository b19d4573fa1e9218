package oracle

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	"k8s.io/client-go/tools/cache"

	"loadline/conformance/recording"
)

// happen applies the events that are due, and if no pod can be tried the next one.
func (r *run) happen() error {
	for r.next < len(r.input.Events) {
		event := r.input.Events[r.next]
		if event.BeforeAttempt > len(r.expected.Attempts) && r.mayPop() {
			return nil
		}
		r.next++
		possible, err := r.apply(event)
		if err != nil {
			return err
		}
		if possible {
			r.changed = true
			event.BeforeAttempt = len(r.expected.Attempts)
			r.happened = append(r.happened, event)
		}
	}
	return nil
}

func (r *run) apply(event recording.Event) (possible bool, err error) {
	var known bool
	if event.AddPod != nil || event.AddPodGroup != nil {
		r.clock.Step(time.Millisecond) // pods of different groups that enter the queue at one instant leave it in any order
	}
	switch {
	case event.DeletePod != "":
		pod := r.find(event.DeletePod)
		if pod == nil || pod.Spec.NodeName == "" {
			return false, nil
		}
		r.gone[event.DeletePod] = true
		return true, r.server.informers.of(pod).remove(pod)
	case event.AddPod != nil:
		r.late = append(r.late, event.AddPod)
		return true, r.server.store(objects([]*corev1.Pod{event.AddPod})[0])
	case event.AddPodGroup != nil:
		return true, r.server.store(event.AddPodGroup.DeepCopy())
	case event.DeletePodGroup != "":
		group := r.group(event.DeletePodGroup)
		if group == nil {
			return false, nil
		}
		return true, r.server.informers.of(group).remove(group)
	case event.UpdateNode != nil:
		if _, known = r.numbers[event.UpdateNode.Name]; !known {
			return false, nil
		}
		return true, r.server.store(objects([]*corev1.Node{event.UpdateNode})[0])
	case event.AddNode != nil:
		if _, known = r.numbers[event.AddNode.Name]; known {
			return false, nil
		}
		r.number(event.AddNode)
		return true, r.server.store(objects([]*corev1.Node{event.AddNode})[0])
	case event.UpdateNamespace != nil:
		return true, r.server.store(event.UpdateNamespace.DeepCopy())
	}
	return false, nil
}

// find returns a pod as it is now, nil if it is gone. The name is "namespace/name".
func (r *run) find(name string) *corev1.Pod {
	object, exists, err := r.server.informers.of(&corev1.Pod{}).GetIndexer().GetByKey(name)
	if err != nil || !exists {
		return nil
	}
	return object.(*corev1.Pod)
}

// group returns a PodGroup as it is now, nil if it is gone. The name is "namespace/name".
func (r *run) group(name string) *schedulingv1alpha2.PodGroup {
	namespace, name, err := cache.SplitMetaNamespaceKey(name)
	if err != nil {
		return nil
	}
	group, err := r.server.informers.Scheduling().V1alpha2().PodGroups().Lister().PodGroups(namespace).Get(name)
	if err != nil {
		return nil
	}
	return group
}
