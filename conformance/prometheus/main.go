// Command prometheus is Prometheus' own service discovery, asked what it finds on an API server, and its parser, given the server's metrics. (Debian's
// Prometheus is built without discovery of Kubernetes.)
//
// usage: prometheus KUBECONFIG. It creates what there is to discover, prints what it checked, and exits with 1 if something is not found in time.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/config"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/discovery"
	sd "github.com/prometheus/prometheus/discovery/kubernetes"
	"github.com/prometheus/prometheus/discovery/targetgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// roles of discovery, each with an object named after it.
var roles = []sd.Role{sd.RoleNode, sd.RolePod, sd.RoleService, sd.RoleEndpointSlice}

const allTime = time.Minute

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: prometheus KUBECONFIG")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), allTime)
	defer cancel()
	if err := run(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "prometheus:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig string) error {
	settings, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(settings)
	if err != nil {
		return err
	}
	found, err := startDiscovery(ctx, kubeconfig)
	if err != nil {
		return err
	}
	if err := createTargets(ctx, client); err != nil {
		return err
	}
	if err := awaitTargets(ctx, found, true, roles...); err != nil {
		return err
	}
	fmt.Println("prometheus: discovers nodes, pods, services and endpoint slices")
	if err := client.CoreV1().Nodes().Delete(ctx, nameOf(sd.RoleNode), v1.DeleteOptions{}); err != nil {
		return err
	}
	if err := awaitTargets(ctx, found, false, sd.RoleNode); err != nil {
		return err
	}
	fmt.Println("prometheus: forgets a deleted node")
	return scrape(ctx, settings)
}

// startDiscovery starts Prometheus' discovery with each role as a job. It tells all targets of all jobs each time there is a change.
func startDiscovery(ctx context.Context, kubeconfig string) (<-chan map[string][]*targetgroup.Group, error) {
	registry := prometheus.NewRegistry()
	metrics, err := discovery.CreateAndRegisterSDMetrics(registry)
	if err != nil {
		return nil, err
	}
	manager := discovery.NewManager(ctx, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})), registry, metrics, discovery.Updatert(100*time.Millisecond))
	if manager == nil {
		return nil, fmt.Errorf("no discovery")
	}
	jobs := map[string]discovery.Configs{}
	for _, role := range roles {
		jobs[string(role)] = discovery.Configs{&sd.SDConfig{Role: role, KubeConfig: kubeconfig, HTTPClientConfig: config.DefaultHTTPClientConfig}}
	}
	if err := manager.ApplyConfig(jobs); err != nil {
		return nil, err
	}
	go manager.Run()
	return manager.SyncCh(), nil
}

// awaitTargets waits until the object of each role is a target, or is none.
func awaitTargets(ctx context.Context, found <-chan map[string][]*targetgroup.Group, there bool, wanted ...sd.Role) error {
	missing := "anything"
	for {
		select {
		case groups := <-found:
			missing = ""
			for _, role := range wanted {
				if has(groups[string(role)], role) != there {
					missing = string(role)
				}
			}
			if missing == "" {
				return nil
			}
		case <-ctx.Done():
			return fmt.Errorf("the targets of role %s do not become as they should be", missing)
		}
	}
}

// has says whether a target stands for the object of a role.
func has(groups []*targetgroup.Group, role sd.Role) bool {
	label := model.LabelName("__meta_kubernetes_" + string(role) + "_name")
	for _, group := range groups {
		if len(group.Targets) > 0 && string(group.Labels[label]) == nameOf(role) {
			return true
		}
		for _, target := range group.Targets {
			if string(target[label]) == nameOf(role) {
				return true
			}
		}
	}
	return false
}

func nameOf(role sd.Role) string { return "prometheus-" + string(role) }

// scrape parses the server's metrics as Prometheus would.
func scrape(ctx context.Context, settings *rest.Config) error {
	client, err := rest.HTTPClientFor(settings)
	if err != nil {
		return err
	}
	count, err := countSamples(ctx, client, settings.Host+"/metrics")
	if err != nil {
		return err
	}
	fmt.Printf("prometheus: reads %d samples from /metrics\n", count)
	return nil
}
