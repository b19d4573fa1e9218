// Command jobset runs JobSet's own controllers and webhooks, unmodified, against the server of a kubeconfig. What its own main does beside that is left
// out: certificates of its own, metrics, probes, leader election, a configuration file. Feature gates are as they are by default.
package main

import (
	"flag"
	"log"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	"sigs.k8s.io/jobset/pkg/controllers"
	"sigs.k8s.io/jobset/pkg/webhooks"
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
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(jobset.AddToScheme(scheme))
	server := ctrl.GetConfigOrDie()
	server.QPS = -1
	manager, err := ctrl.NewManager(server, ctrl.Options{
		Scheme:        scheme,
		Metrics:       metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: *webhookPort, CertDir: *certificates}),
	})
	check(err)
	ctx := ctrl.SetupSignalHandler()
	check(controllers.SetupJobSetIndexes(ctx, manager.GetFieldIndexer()))
	check(controllers.SetupPodIndexes(ctx, manager.GetFieldIndexer()))
	check(controllers.NewJobSetReconciler(manager.GetClient(), scheme, manager.GetEventRecorder("jobset")).SetupWithManager(manager))
	check(controllers.NewPodReconciler(manager.GetClient(), scheme, manager.GetEventRecorder("pod")).SetupWithManager(manager))
	check(webhooks.Setup(manager))
	check(manager.Start(ctx))
}
