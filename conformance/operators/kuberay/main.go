// Command kuberay runs KubeRay's own controllers and webhooks, unmodified, against the server of a kubeconfig, with all feature gates as they are by
// default, but RayCronJob on. What its own main does beside that is left out: metrics, probes, leader election, a configuration file, RayServices. There is
// no Ray: what its dashboard says of a job is written in the ConfigMap "ray-dashboard" of the job's namespace.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"sync"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	configuration "github.com/ray-project/kuberay/ray-operator/apis/config/v1alpha1"
	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/batchscheduler"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils/dashboardclient"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils/types"
	_ "github.com/ray-project/kuberay/ray-operator/pkg/features"
	webhooks "github.com/ray-project/kuberay/ray-operator/pkg/webhooks/v1"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	webhookPort := flag.Int("webhook-port", 9443, "where the webhooks listen, on loopback")
	certificates := flag.String("certificates", "", "the folder of tls.crt and tls.key")
	flag.Parse() // --kubeconfig is controller-runtime's own
	ctrl.SetLogger(zap.New())
	check(utilfeature.DefaultMutableFeatureGate.Set("RayCronJob=true"))
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(rayv1.AddToScheme(scheme))
	server := ctrl.GetConfigOrDie()
	server.QPS = -1
	own := labels.SelectorFromSet(labels.Set{utils.KubernetesCreatedByLabelKey: utils.ComponentName})
	m, err := ctrl.NewManager(server, ctrl.Options{
		Scheme:        scheme,
		Cache:         cache.Options{ByObject: map[client.Object]cache.ByObject{&batchv1.Job{}: {Label: own}}}, // as its main has it
		Metrics:       metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: *webhookPort, CertDir: *certificates}),
	})
	check(err)
	ctx := ctrl.SetupSignalHandler()
	schedulers, err := batchscheduler.NewSchedulerManager(ctx, configuration.Configuration{}, server, m.GetClient())
	check(err)
	schedulers.AddToScheme(scheme)
	check(ray.NewReconciler(ctx, m, ray.RayClusterReconcilerOptions{BatchSchedulerManager: schedulers}).SetupWithManager(m, 1))
	check(ray.NewRayJobReconciler(ctx, m, ray.RayJobReconcilerOptions{BatchSchedulerManager: schedulers}, &dashboards{client: m.GetAPIReader()}).SetupWithManager(m, 1))
	check(ray.NewRayCronJobReconciler(m).SetupWithManager(m, 1))
	check(webhooks.SetupRayClusterWebhookWithManager(m))
	check(webhooks.SetupRayJobWebhookWithManager(m))
	check(m.Start(ctx))
}

// dashboards stand for those of all clusters.
type dashboards struct {
	client    client.Reader
	submitted sync.Map // namespaces and job IDs
}

func (d *dashboards) GetDashboardClient(context.Context, manager.Manager) func(*rayv1.RayCluster, string) (dashboardclient.RayDashboardClientInterface, error) {
	return func(cluster *rayv1.RayCluster, _ string) (dashboardclient.RayDashboardClientInterface, error) {
		return &dashboard{owner: d, namespace: cluster.Namespace}, nil
	}
}

func (d *dashboards) GetHttpProxyClient(manager.Manager) func(hostIP, podNamespace, podName string, port int) utils.RayHttpProxyClientInterface {
	return nil // only RayServices ask for it
}

// dashboard is the one of a namespace. What only RayServices ask, it cannot answer.
type dashboard struct {
	dashboardclient.RayDashboardClientInterface
	owner     *dashboards
	namespace string
}

func (d *dashboard) GetJobInfo(ctx context.Context, id string) (*types.RayJobInfo, error) {
	var said corev1.ConfigMap
	err := d.owner.client.Get(ctx, client.ObjectKey{Namespace: d.namespace, Name: "ray-dashboard"}, &said)
	if client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	status := said.Data["status"]
	if status == "" {
		if _, submitted := d.owner.submitted.Load(d.namespace + "/" + id); !submitted {
			return nil, errors.NewBadRequest(fmt.Sprintf("Job %s does not exist on the cluster", id))
		}
		status = string(rayv1.JobStatusPending)
	}
	return &types.RayJobInfo{JobId: id, SubmissionId: id, JobStatus: rayv1.JobStatus(status), Message: said.Data["message"], StartTime: 1700000000000, EndTime: end(status)}, nil
}

func end(status string) uint64 {
	if rayv1.IsJobTerminal(rayv1.JobStatus(status)) {
		return 1700000060000
	}
	return 0
}

func (d *dashboard) SubmitJob(_ context.Context, job *rayv1.RayJob) (string, error) {
	d.owner.submitted.Store(d.namespace+"/"+job.Status.JobId, true)
	return job.Status.JobId, nil
}

func (d *dashboard) StopJob(context.Context, string) error   { return nil }
func (d *dashboard) DeleteJob(context.Context, string) error { return nil }
