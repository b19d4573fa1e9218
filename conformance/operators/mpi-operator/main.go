// Command mpi-operator runs the MPI operator's own controller, unmodified, against the server of a kubeconfig. What its own main does beside that is left
// out: metrics, probes, leader election, its limits on requests. It has no webhooks.
package main

import (
	"context"
	"flag"
	"log"

	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kubeflow/mpi-operator/cmd/mpi-operator/app/options"
	mpiclient "github.com/kubeflow/mpi-operator/pkg/client/clientset/versioned"
	mpischeme "github.com/kubeflow/mpi-operator/pkg/client/clientset/versioned/scheme"
	mpiinformers "github.com/kubeflow/mpi-operator/pkg/client/informers/externalversions"
	"github.com/kubeflow/mpi-operator/pkg/controller"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the server")
	flag.Int("webhook-port", 0, "ignored")
	flag.String("certificates", "", "ignored")
	flag.Parse()
	runtime.Must(mpischeme.AddToScheme(scheme.Scheme)) // for events
	server, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	server.QPS = -1
	ctx := context.Background()
	typed, jobs := kubernetes.NewForConfigOrDie(server), mpiclient.NewForConfigOrDie(server)
	factory, own := informers.NewSharedInformerFactory(typed, 0), mpiinformers.NewSharedInformerFactory(jobs, 0)
	chosen := options.NewServerOption()
	chosen.ControllerRateLimit, chosen.ControllerBurst = 1000, 1000
	core := factory.Core().V1()
	operator, err := controller.NewMPIJobController(ctx, typed, jobs, nil, nil, core.ConfigMaps(), core.Secrets(), core.Services(), factory.Batch().V1().Jobs(),
		core.Pods(), factory.Scheduling().V1().PriorityClasses(), own.Kubeflow().V2beta1().MPIJobs(), chosen)
	if err != nil {
		log.Fatal(err)
	}
	factory.Start(ctx.Done())
	own.Start(ctx.Done())
	if err := operator.Run(2, ctx.Done()); err != nil {
		log.Fatal(err)
	}
}
