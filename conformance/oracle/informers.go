package oracle

import (
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/apps"
	"k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/informers/policy"
	"k8s.io/client-go/informers/resource"
	"k8s.io/client-go/informers/scheduling"
	"k8s.io/client-go/informers/storage"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// stillInformers is an informer factory without watches, goroutines or clocks: an object is put in, every handler has
// heard of it when the call returns. The scheduler sees the order in which things happen, and nothing else.
type stillInformers struct {
	informers.SharedInformerFactory
	client kubernetes.Interface
	byType map[reflect.Type]*stillInformer
}

func newStillInformers(client kubernetes.Interface) *stillInformers {
	return &stillInformers{
		SharedInformerFactory: informers.NewSharedInformerFactory(client, 0),
		client:                client,
		byType:                map[reflect.Type]*stillInformer{},
	}
}

// The groups below hand out informers of their factory; all others are the embedded factory's and stay empty.

func (f *stillInformers) Core() core.Interface             { return core.New(f, "", nil) }
func (f *stillInformers) Apps() apps.Interface             { return apps.New(f, "", nil) }
func (f *stillInformers) Policy() policy.Interface         { return policy.New(f, "", nil) }
func (f *stillInformers) Storage() storage.Interface       { return storage.New(f, "", nil) }
func (f *stillInformers) Resource() resource.Interface     { return resource.New(f, "", nil) }
func (f *stillInformers) Scheduling() scheduling.Interface { return scheduling.New(f, "", nil) }

func (f *stillInformers) InformerFor(object runtime.Object, make internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	kind := reflect.TypeOf(object)
	informer := f.byType[kind]
	if informer == nil {
		informer = &stillInformer{SharedIndexInformer: make(f.client, 0)}
		f.byType[kind] = informer
	}
	return informer
}

// of returns the informer of an object's kind.
func (f *stillInformers) of(object runtime.Object) *stillInformer {
	return f.byType[reflect.TypeOf(object)]
}

// stillInformer keeps the store and indexes of an ordinary informer that never runs.
type stillInformer struct {
	cache.SharedIndexInformer
	handlers []cache.ResourceEventHandler
}

// put adds or replaces an object and tells all handlers.
func (i *stillInformer) put(object any) error {
	old, existed, err := i.GetIndexer().Get(object)
	if err != nil {
		return err
	}
	if err := i.GetIndexer().Update(object); err != nil {
		return err
	}
	for _, handler := range i.handlers {
		if existed {
			handler.OnUpdate(old, object)
		} else {
			handler.OnAdd(object, false)
		}
	}
	return nil
}

// remove deletes an object and tells all handlers.
func (i *stillInformer) remove(object any) error {
	if err := i.GetIndexer().Delete(object); err != nil {
		return err
	}
	for _, handler := range i.handlers {
		handler.OnDelete(object)
	}
	return nil
}

func (i *stillInformer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	for _, object := range i.GetIndexer().List() {
		handler.OnAdd(object, true)
	}
	i.handlers = append(i.handlers, handler)
	return synced{}, nil
}

func (i *stillInformer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(handler)
}

func (i *stillInformer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(handler)
}

func (i *stillInformer) HasSynced() bool                     { return true }
func (i *stillInformer) HasSyncedChecker() cache.DoneChecker { return synced{} }

// synced is a registration that has nothing to wait for.
type synced struct{}

var done = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func (synced) HasSynced() bool                     { return true }
func (synced) HasSyncedChecker() cache.DoneChecker { return synced{} }
func (synced) Name() string                        { return "still informer" }
func (synced) Done() <-chan struct{}               { return done }
