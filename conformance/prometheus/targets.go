package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	sd "github.com/prometheus/prometheus/discovery/kubernetes"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const namespace = "prometheus"

// createTargets creates an object for each role.
func createTargets(ctx context.Context, client kubernetes.Interface) error {
	if _, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: v1.ObjectMeta{Name: namespace}}, v1.CreateOptions{}); err != nil {
		return err
	}
	return errors.Join(createNode(ctx, client), createPod(ctx, client), createService(ctx, client))
}

func createNode(ctx context.Context, client kubernetes.Interface) error {
	addresses := []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "127.0.0.1"}}
	node := &corev1.Node{ObjectMeta: v1.ObjectMeta{Name: nameOf(sd.RoleNode)}, Status: corev1.NodeStatus{Addresses: addresses}}
	_, err := client.CoreV1().Nodes().Create(ctx, node, v1.CreateOptions{})
	return err
}

func createPod(ctx context.Context, client kubernetes.Interface) error {
	pods := client.CoreV1().Pods(namespace)
	made, err := pods.Create(ctx, &corev1.Pod{ObjectMeta: v1.ObjectMeta{Name: nameOf(sd.RolePod)}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "x"}}}}, v1.CreateOptions{})
	if err != nil {
		return err
	}
	const address = "10.9.8.6"
	made.Status.Phase, made.Status.PodIP, made.Status.PodIPs = corev1.PodRunning, address, []corev1.PodIP{{IP: address}}
	_, err = pods.UpdateStatus(ctx, made, v1.UpdateOptions{})
	return err
}

func createService(ctx context.Context, client kubernetes.Interface) error {
	port := int32(9100)
	service := &corev1.Service{ObjectMeta: v1.ObjectMeta{Name: nameOf(sd.RoleService)}, Spec: corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone, Ports: []corev1.ServicePort{{Port: port}}}}
	if _, err := client.CoreV1().Services(namespace).Create(ctx, service, v1.CreateOptions{}); err != nil {
		return err
	}
	slice := &discoveryv1.EndpointSlice{ObjectMeta: v1.ObjectMeta{Name: nameOf(sd.RoleEndpointSlice), Labels: map[string]string{discoveryv1.LabelServiceName: service.Name}},
		AddressType: discoveryv1.AddressTypeIPv4, Endpoints: []discoveryv1.Endpoint{{Addresses: []string{"10.9.8.7"}}}, Ports: []discoveryv1.EndpointPort{{Port: &port}}}
	_, err := client.DiscoveryV1().EndpointSlices(namespace).Create(ctx, slice, v1.CreateOptions{})
	return err
}

// countSamples counts what Prometheus' parser finds in metrics.
func countSamples(ctx context.Context, client *http.Client, url string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err
	}
	if answer.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s: %s", url, answer.Status)
	}
	parser, err := textparse.New(text, answer.Header.Get("Content-Type"), labels.NewSymbolTable(), textparse.ParserOptions{FallbackContentType: "text/plain"})
	if err != nil {
		return 0, err
	}
	return count(parser)
}

func count(parser textparse.Parser) (int, error) {
	samples := 0
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return samples, nil
		}
		if err != nil {
			return samples, fmt.Errorf("after %d samples: %w", samples, err)
		}
		if entry == textparse.EntrySeries {
			samples++
		}
	}
}
