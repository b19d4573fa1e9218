// Package goclient uses an API server as programs written with client-go do: discovery, typed clients that write protobuf, informers, leader election,
// server-side apply, and the dynamic client.
package goclient

import (
	"context"
	"flag"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	corev1 "k8s.io/api/core/v1"

	"loadline/conformance/server"
)

// checkTime bounds one check.
const checkTime = 30 * time.Second

// clients is what a check works with: each has a namespace of its own.
type clients struct {
	config    *rest.Config
	typed     *kubernetes.Clientset
	dynamic   dynamic.Interface
	metadata  metadata.Interface
	namespace string
}

// check is one use of client-go.
type check struct {
	name string
	run  func(context.Context, *clients) error
}

var checks = []check{
	{"discovery", checkDiscovery},
	{"rest mapper", checkMapper},
	{"typed objects in protobuf", checkTypedWrites},
	{"zero values in protobuf", checkZeroValues},
	{"strategic and JSON patches", checkPatches},
	{"status, scale, binding and eviction", checkSubresources},
	{"server-side apply", checkApply},
	{"increments on conflict", checkConflicts},
	{"lists in chunks", checkPager},
	{"informers", checkInformers},
	{"informer of metadata", checkMetadataInformer},
	{"watch to the end", checkWatch},
	{"leader election", checkLeaderElection},
	{"events", checkEvents},
	{"custom resources", checkCustomResources},
	{"reviews", checkReviews},
	{"tokens", checkTokens},
}

// Run runs all checks against a server and returns whether all passed.
func Run(arguments []string) (bool, error) {
	var programs server.Programs
	flags := flag.NewFlagSet("client-go", flag.ContinueOnError)
	programs.Register(flags)
	target := flags.String("server", "loadline", "which server answers: loadline, real, or the path of a kubeconfig")
	if err := flags.Parse(arguments); err != nil {
		return false, err
	}
	started, err := server.Start(server.WithoutControllers(*target), programs)
	if err != nil {
		return false, err
	}
	defer started.Stop()
	return runChecks(started)
}

func runChecks(started *server.Server) (bool, error) {
	good := true
	for number, c := range checks {
		begin := time.Now()
		err := runCheck(started, fmt.Sprintf("client-go-%d", number), c)
		if err != nil {
			good = false
			fmt.Printf("client-go: FAILED %s: %v\n", c.name, err)
			continue
		}
		fmt.Printf("client-go: %s works (%.1f s)\n", c.name, time.Since(begin).Seconds())
	}
	return good, started.Crashed()
}

func runCheck(started *server.Server, namespace string, c check) error {
	ctx, cancel := context.WithTimeout(context.Background(), checkTime)
	defer cancel()
	kit, err := newClients(started.Config(), namespace)
	if err != nil {
		return err
	}
	object := &corev1.Namespace{ObjectMeta: v1.ObjectMeta{Name: namespace}}
	if _, err := kit.typed.CoreV1().Namespaces().Create(ctx, object, v1.CreateOptions{}); err != nil {
		return err
	}
	return c.run(ctx, kit)
}

func newClients(config *rest.Config, namespace string) (*clients, error) {
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	untyped, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	bare, err := metadata.NewForConfig(config)
	return &clients{config, typed, untyped, bare, namespace}, err
}

// expect is an error unless what was found is what was expected.
func expect[T comparable](what string, found, expected T) error {
	if found != expected {
		return fmt.Errorf("%s is %v, not %v", what, found, expected)
	}
	return nil
}

// eventually waits until a condition holds.
func eventually(ctx context.Context, what string, holds func() bool) error {
	for !holds() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}
