package generate

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// makeOwners makes services and controllers, whose selectors pods without constraints are spread by.
func (g *generator) makeOwners() {
	if g.likely(owners, 90, 25) {
		for i := range g.between(1, 4) {
			selector := pick(g.dice, map[string]string{"app": "web"}, map[string]string{"app": "db"}, map[string]string{"tier": "front"}, map[string]string{"app": "web", "tier": "back"}, nil)
			g.input.Services = append(g.input.Services, &corev1.Service{
				ObjectMeta: metav1.ObjectMeta{Namespace: g.namespace(), Name: fmt.Sprintf("s%d", i)},
				Spec:       corev1.ServiceSpec{Selector: selector, Ports: []corev1.ServicePort{{Port: 80}}}})
		}
	}
	if !g.likely(owners, 90, 10) {
		return
	}
	for i := range g.between(1, 3) {
		labels := map[string]string{"app": pick(g.dice, "web", "db")}
		selector := &metav1.LabelSelector{MatchLabels: labels}
		pods := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "registry.example/web:v1"}}}}
		meta := metav1.ObjectMeta{Namespace: g.namespace(), Name: fmt.Sprintf("owner%d", i)}
		switch g.IntN(3) {
		case 0:
			g.input.ReplicaSets = append(g.input.ReplicaSets, &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: pods}})
		case 1:
			g.input.StatefulSets = append(g.input.StatefulSets, &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Selector: selector, Template: pods}})
		case 2:
			g.input.ReplicationControllers = append(g.input.ReplicationControllers, &corev1.ReplicationController{ObjectMeta: meta, Spec: corev1.ReplicationControllerSpec{Selector: labels, Template: &pods}})
		}
	}
}

// setOwner makes a controller the owner of a template's pods.
func (g *generator) setOwner(pod *corev1.Pod) {
	type owner struct {
		meta             metav1.ObjectMeta
		apiVersion, kind string
		labels           map[string]string
	}
	var all []owner
	for _, set := range g.input.ReplicaSets {
		all = append(all, owner{set.ObjectMeta, "apps/v1", "ReplicaSet", set.Spec.Selector.MatchLabels})
	}
	for _, set := range g.input.StatefulSets {
		all = append(all, owner{set.ObjectMeta, "apps/v1", "StatefulSet", set.Spec.Selector.MatchLabels})
	}
	for _, controller := range g.input.ReplicationControllers {
		all = append(all, owner{controller.ObjectMeta, "v1", "ReplicationController", controller.Spec.Selector})
	}
	if len(all) == 0 || !g.chance(60) {
		return
	}
	chosen := pick(g.dice, all...)
	pod.Namespace = chosen.meta.Namespace
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: chosen.apiVersion, Kind: chosen.kind, Name: chosen.meta.Name,
		UID: types.UID(chosen.meta.Namespace + "/" + chosen.meta.Name), Controller: ptr.To(true)}}
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	for key, value := range chosen.labels {
		pod.Labels[key] = value
	}
}
