package controllers

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// kubelet does what the kubelets of all nodes would: pods that are bound run at once, and those that are deleted end at once.
type kubelet struct{ client kubernetes.Interface }

// startKubelet watches pods until the context ends.
func startKubelet(ctx context.Context, client kubernetes.Interface) error {
	k := &kubelet{client}
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { k.see(ctx, object.(*corev1.Pod)) },
		UpdateFunc: func(_, object any) { k.see(ctx, object.(*corev1.Pod)) },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("the kubelet's informer does not sync")
	}
	return nil
}

func (k *kubelet) see(ctx context.Context, pod *corev1.Pod) {
	switch {
	case pod.Spec.NodeName == "":
	case pod.DeletionTimestamp != nil:
		now := int64(0)
		_ = k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, v1.DeleteOptions{GracePeriodSeconds: &now}) // Gone already is as good.
	case pod.Status.Phase == corev1.PodPending:
		k.run(ctx, pod.DeepCopy())
	}
}

// run reports a pod as ready, or as done if it belongs to a Job.
func (k *kubelet) run(ctx context.Context, pod *corev1.Pod) {
	started := v1.Now()
	ready := corev1.ContainerStatus{Name: pod.Spec.Containers[0].Name, Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}}}
	pod.Status.Phase, pod.Status.StartTime, pod.Status.PodIP = corev1.PodRunning, &started, "10.1.0.1"
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: started},
		corev1.PodCondition{Type: corev1.ContainersReady, Status: corev1.ConditionTrue, LastTransitionTime: started})
	if pod.Labels["batch.kubernetes.io/job-name"] != "" {
		pod.Status.Phase = corev1.PodSucceeded
		ready.Ready, ready.State = false, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: started, FinishedAt: started}}
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{ready}
	_, _ = k.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, v1.UpdateOptions{}) // On conflict there is an event with the newer one.
}

// addNode makes a node that is ready. Its lease is never renewed, so it stays ready for some forty seconds.
func addNode(ctx context.Context, client kubernetes.Interface, name string) error {
	room := corev1.ResourceList{"cpu": resource.MustParse("4"), "memory": resource.MustParse("8Gi"), "pods": resource.MustParse("20")}
	node := &corev1.Node{ObjectMeta: v1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}}}
	node, err := client.CoreV1().Nodes().Create(ctx, node, v1.CreateOptions{})
	if err != nil {
		return err
	}
	now := v1.NewTime(time.Now())
	node.Status = corev1.NodeStatus{Capacity: room, Allocatable: room, Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady",
		LastHeartbeatTime: now, LastTransitionTime: now}}}
	_, err = client.CoreV1().Nodes().UpdateStatus(ctx, node, v1.UpdateOptions{})
	return err
}
