package goclient

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/util/retry"
)

func newPod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: v1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Name: "c", Image: "nginx:1", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("250m")}},
		ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: intstr.FromString("http")}}},
		VolumeMounts:   []corev1.VolumeMount{{Name: "v", MountPath: "/v"}},
	}}, Volumes: []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}}}
}

func newDeployment(name string, replicas *int32) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{ObjectMeta: v1.ObjectMeta{Name: name}, Spec: appsv1.DeploymentSpec{Replicas: replicas, Selector: &v1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: v1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "x:1"}}}}}}
}

func checkTypedWrites(ctx context.Context, c *clients) error {
	pods := c.typed.CoreV1().Pods(c.namespace)
	pod, err := pods.Create(ctx, newPod("p"), v1.CreateOptions{FieldValidation: v1.FieldValidationStrict})
	if err != nil {
		return err
	}
	container := pod.Spec.Containers[0]
	err = errors.Join(expect("the image's policy", container.ImagePullPolicy, corev1.PullIfNotPresent), expect("the request", container.Resources.Requests.Cpu().String(), "250m"),
		expect("the probe's port", container.ReadinessProbe.HTTPGet.Port.String(), "http"), expect("the QoS class", pod.Status.QOSClass, corev1.PodQOSBurstable))
	if err != nil {
		return err
	}
	if pod.Spec.Volumes[0].EmptyDir == nil {
		return errors.New("the volume lost its source")
	}
	pod.Labels["more"] = "yes"
	updated, err := pods.Update(ctx, pod, v1.UpdateOptions{})
	if err != nil {
		return err
	}
	if _, err := pods.Update(ctx, pod, v1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("an update of the old version: %v, not a conflict", err)
	}
	uid, grace := updated.UID, int64(0)
	if err := pods.Delete(ctx, "p", v1.DeleteOptions{GracePeriodSeconds: &grace, Preconditions: &v1.Preconditions{UID: &uid}}); err != nil {
		return err
	}
	if _, err := pods.Get(ctx, "p", v1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("a deleted pod: %v, not NotFound", err)
	}
	return nil
}

// checkZeroValues: a pointer to zero is a value, a plain zero is none.
func checkZeroValues(ctx context.Context, c *clients) error {
	none := int32(0)
	deployment, err := c.typed.AppsV1().Deployments(c.namespace).Create(ctx, newDeployment("zero", &none), v1.CreateOptions{})
	if err != nil {
		return err
	}
	defaulted, err := c.typed.AppsV1().Deployments(c.namespace).Create(ctx, newDeployment("one", nil), v1.CreateOptions{})
	if err != nil {
		return err
	}
	class := &schedulingv1.PriorityClass{ObjectMeta: v1.ObjectMeta{Name: c.namespace}, Value: 0}
	made, err := c.typed.SchedulingV1().PriorityClasses().Create(ctx, class, v1.CreateOptions{})
	if err != nil {
		return err
	}
	return errors.Join(expect("replicas of 0", *deployment.Spec.Replicas, 0), expect("replicas left out", *defaulted.Spec.Replicas, 1),
		expect("a priority of 0", made.Value, 0), c.typed.SchedulingV1().PriorityClasses().Delete(ctx, c.namespace, v1.DeleteOptions{}))
}

func checkPatches(ctx context.Context, c *clients) error {
	deployments := c.typed.AppsV1().Deployments(c.namespace)
	if _, err := deployments.Create(ctx, newDeployment("d", nil), v1.CreateOptions{}); err != nil {
		return err
	}
	strategic := []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"y"}]}}}}`)
	patched, err := deployments.Patch(ctx, "d", types.StrategicMergePatchType, strategic, v1.PatchOptions{})
	if err != nil {
		return err
	}
	if err := expect("containers", len(patched.Spec.Template.Spec.Containers), 2); err != nil {
		return err
	}
	patched, err = deployments.Patch(ctx, "d", types.JSONPatchType, []byte(`[{"op":"replace","path":"/spec/replicas","value":4}]`), v1.PatchOptions{})
	if err != nil {
		return err
	}
	return errors.Join(expect("replicas", *patched.Spec.Replicas, 4), expect("the generation", patched.Generation, 3))
}

func checkSubresources(ctx context.Context, c *clients) error {
	deployments := c.typed.AppsV1().Deployments(c.namespace)
	if _, err := deployments.Create(ctx, newDeployment("d", nil), v1.CreateOptions{}); err != nil {
		return err
	}
	scale, err := deployments.GetScale(ctx, "d", v1.GetOptions{})
	if err != nil {
		return err
	}
	scale.Spec.Replicas = 6
	if scale, err = deployments.UpdateScale(ctx, "d", scale, v1.UpdateOptions{}); err != nil {
		return err
	}
	if err := expect("scaled replicas", scale.Spec.Replicas, 6); err != nil {
		return err
	}
	pods := c.typed.CoreV1().Pods(c.namespace)
	pod, err := pods.Create(ctx, newPod("p"), v1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := pods.Bind(ctx, &corev1.Binding{ObjectMeta: v1.ObjectMeta{Name: "p"}, Target: corev1.ObjectReference{Kind: "Node", Name: "n"}}, v1.CreateOptions{}); err != nil {
		return err
	}
	if pod, err = pods.Get(ctx, "p", v1.GetOptions{}); err != nil {
		return err
	}
	pod.Status.Phase, pod.Spec.NodeName = corev1.PodRunning, "elsewhere"
	if pod, err = pods.UpdateStatus(ctx, pod, v1.UpdateOptions{}); err != nil {
		return err
	}
	if err := errors.Join(expect("the phase", pod.Status.Phase, corev1.PodRunning), expect("the node", pod.Spec.NodeName, "n")); err != nil {
		return err
	}
	if err := pods.EvictV1(ctx, &policyv1.Eviction{ObjectMeta: v1.ObjectMeta{Name: "p"}}); err != nil {
		return err
	}
	if pod, err = pods.Get(ctx, "p", v1.GetOptions{}); err != nil {
		return err
	}
	if pod.DeletionTimestamp == nil {
		return errors.New("an evicted pod is not being deleted")
	}
	return nil
}

func checkApply(ctx context.Context, c *clients) error {
	deployments := c.typed.AppsV1().Deployments(c.namespace)
	labels := map[string]string{"a": "b"}
	wanted := applyappsv1.Deployment("d", c.namespace).WithSpec(applyappsv1.DeploymentSpec().WithReplicas(2).WithSelector(applymetav1.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(applycorev1.PodTemplateSpec().WithLabels(labels).WithSpec(applycorev1.PodSpec().WithContainers(applycorev1.Container().WithName("c").WithImage("x")))))
	if _, err := deployments.Apply(ctx, wanted, v1.ApplyOptions{FieldManager: "first"}); err != nil {
		return err
	}
	other := applyappsv1.Deployment("d", c.namespace).WithSpec(applyappsv1.DeploymentSpec().WithReplicas(3))
	if _, err := deployments.Apply(ctx, other, v1.ApplyOptions{FieldManager: "second"}); !apierrors.IsConflict(err) {
		return fmt.Errorf("applying another's field: %v, not a conflict", err)
	}
	made, err := deployments.Apply(ctx, other, v1.ApplyOptions{FieldManager: "second", Force: true})
	if err != nil {
		return err
	}
	if err := expect("replicas", *made.Spec.Replicas, 3); err != nil {
		return err
	}
	mine, err := applyappsv1.ExtractDeployment(made, "second")
	if err != nil {
		return err
	}
	if mine.Spec == nil || mine.Spec.Replicas == nil || mine.Spec.Selector != nil {
		return errors.New("the second manager does not own replicas alone")
	}
	return nil
}

// checkConflicts: increments by many clients at a time, each retried on conflict, are all there in the end.
func checkConflicts(ctx context.Context, c *clients) error {
	const writers, increments = 8, 5
	maps := c.typed.CoreV1().ConfigMaps(c.namespace)
	if _, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: v1.ObjectMeta{Name: "count"}, Data: map[string]string{"n": "0"}}, v1.CreateOptions{}); err != nil {
		return err
	}
	increment := func() error {
		object, err := maps.Get(ctx, "count", v1.GetOptions{})
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(object.Data["n"])
		if err != nil {
			return err
		}
		object.Data["n"] = strconv.Itoa(n + 1)
		_, err = maps.Update(ctx, object, v1.UpdateOptions{})
		return err
	}
	patience := retry.DefaultBackoff
	patience.Steps, patience.Factor = 1000, 1
	failures := make(chan error, writers*increments)
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for range increments {
				failures <- retry.RetryOnConflict(patience, increment)
			}
		})
	}
	group.Wait()
	close(failures)
	for err := range failures {
		if err != nil {
			return err
		}
	}
	object, err := maps.Get(ctx, "count", v1.GetOptions{})
	if err != nil {
		return err
	}
	return expect("the count", object.Data["n"], strconv.Itoa(writers*increments))
}

func checkPager(ctx context.Context, c *clients) error {
	maps := c.typed.CoreV1().ConfigMaps(c.namespace)
	for i := range 7 {
		if _, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: v1.ObjectMeta{Name: fmt.Sprintf("m%d", i)}}, v1.CreateOptions{}); err != nil {
			return err
		}
	}
	pages := pager.New(func(ctx context.Context, options v1.ListOptions) (runtime.Object, error) {
		return maps.List(ctx, options)
	})
	pages.PageSize = 2
	seen := map[string]bool{}
	err := pages.EachListItem(ctx, v1.ListOptions{}, func(object runtime.Object) error {
		seen[object.(*corev1.ConfigMap).Name] = true
		return nil
	})
	if err != nil {
		return err
	}
	return expect("objects", len(seen), 7)
}
