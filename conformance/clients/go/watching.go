package goclient

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
	watchtools "k8s.io/client-go/tools/watch"

	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// counts of what an informer told.
type counts struct{ added, updated, deleted atomic.Int32 }

func (n *counts) handler() cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { n.added.Add(1) },
		UpdateFunc: func(any, any) { n.updated.Add(1) },
		DeleteFunc: func(any) { n.deleted.Add(1) },
	}
}

func checkInformers(ctx context.Context, c *clients) error {
	maps := c.typed.CoreV1().ConfigMaps(c.namespace)
	if _, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: v1.ObjectMeta{Name: "before"}}, v1.CreateOptions{}); err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(c.typed, 0, informers.WithNamespace(c.namespace))
	var told counts
	if _, err := factory.Core().V1().ConfigMaps().Informer().AddEventHandler(told.handler()); err != nil {
		return err
	}
	askForKinds(factory)
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("the informer of %s does not sync", kind)
		}
	}
	object, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: v1.ObjectMeta{Name: "after"}}, v1.CreateOptions{})
	if err != nil {
		return err
	}
	object.Data = map[string]string{"k": "v"}
	if _, err := maps.Update(ctx, object, v1.UpdateOptions{}); err != nil {
		return err
	}
	if err := maps.Delete(ctx, "after", v1.DeleteOptions{}); err != nil {
		return err
	}
	return eventually(ctx, "two additions, a change and a deletion", func() bool {
		return told.added.Load() == 2 && told.updated.Load() == 1 && told.deleted.Load() == 1
	})
}

// askForKinds makes informers of kinds that controllers watch: they must sync, whatever there is.
func askForKinds(factory informers.SharedInformerFactory) {
	factory.Core().V1().Pods().Informer()
	factory.Core().V1().Nodes().Informer()
	factory.Core().V1().PersistentVolumeClaims().Informer()
	factory.Apps().V1().Deployments().Informer()
	factory.Batch().V1().Jobs().Informer()
	factory.Storage().V1().CSINodes().Informer()
	factory.Policy().V1().PodDisruptionBudgets().Informer()
	factory.Resource().V1().ResourceClaims().Informer()
}

func checkMetadataInformer(ctx context.Context, c *clients) error {
	resource := schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	var told counts
	informer := metadatainformer.NewFilteredMetadataInformer(c.metadata, resource, c.namespace, 0, cache.Indexers{}, nil).Informer()
	if _, err := informer.AddEventHandler(told.handler()); err != nil {
		return err
	}
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return errors.New("it does not sync")
	}
	if _, err := c.typed.CoreV1().Secrets(c.namespace).Create(ctx, &corev1.Secret{ObjectMeta: v1.ObjectMeta{Name: "s"}}, v1.CreateOptions{}); err != nil {
		return err
	}
	return eventually(ctx, "the metadata of a secret", func() bool { return told.added.Load() == 1 })
}

func checkWatch(ctx context.Context, c *clients) error {
	maps := c.typed.CoreV1().ConfigMaps(c.namespace)
	object, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: v1.ObjectMeta{Name: "m"}}, v1.CreateOptions{})
	if err != nil {
		return err
	}
	go func() {
		time.Sleep(50 * time.Millisecond)
		maps.Delete(ctx, "m", v1.DeleteOptions{})
	}()
	source := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, options v1.ListOptions) (watch.Interface, error) {
		options.FieldSelector = "metadata.name=m"
		return maps.Watch(ctx, options)
	}}, c.typed)
	last, err := watchtools.Until(ctx, object.ResourceVersion, source, func(event watch.Event) (bool, error) { return event.Type == watch.Deleted, nil })
	if err != nil {
		return err
	}
	final, ok := last.Object.(*corev1.ConfigMap)
	if !ok || final.ResourceVersion == object.ResourceVersion {
		return errors.New("the deletion has no version of its own")
	}
	return nil
}

// checkLeaderElection: of two candidates one leads, and when it gives up the other does.
func checkLeaderElection(ctx context.Context, c *clients) error {
	led := make(chan string, 2)
	first, resign := context.WithCancel(ctx)
	defer resign()
	go c.campaign(first, "first", led)
	if err := expect("the leader", <-led, "first"); err != nil {
		return err
	}
	go c.campaign(ctx, "second", led)
	select {
	case name := <-led:
		return fmt.Errorf("%s leads beside the first", name)
	case <-time.After(500 * time.Millisecond):
	}
	resign()
	select {
	case name := <-led:
		return expect("the next leader", name, "second")
	case <-ctx.Done():
		return errors.New("no candidate follows the first")
	}
}

func (c *clients) campaign(ctx context.Context, name string, led chan<- string) {
	lock := &resourcelock.LeaseLock{LeaseMeta: v1.ObjectMeta{Name: "lock", Namespace: c.namespace}, Client: c.typed.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: name}}
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{Lock: lock, ReleaseOnCancel: true, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second,
		RetryPeriod: 200 * time.Millisecond, Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { led <- name }, OnStoppedLeading: func() {}}})
}

func checkEvents(ctx context.Context, c *clients) error {
	pod, err := c.typed.CoreV1().Pods(c.namespace).Create(ctx, newPod("p"), v1.CreateOptions{})
	if err != nil {
		return err
	}
	broadcaster := record.NewBroadcaster()
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: c.typed.CoreV1().Events(c.namespace)})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "proof"})
	recorder.Event(pod, corev1.EventTypeWarning, "Tested", "once")
	recorder.Event(pod, corev1.EventTypeWarning, "Tested", "once")
	return eventually(ctx, "one event with a count of two", func() bool {
		events, err := c.typed.CoreV1().Events(c.namespace).List(ctx, v1.ListOptions{FieldSelector: "involvedObject.name=p,reason=Tested,involvedObject.uid=" + string(pod.UID)})
		return err == nil && len(events.Items) == 1 && events.Items[0].Count == 2
	})
}
