// Command lws runs the LeaderWorkerSet's own controllers and webhooks, unmodified, against the server of a kubeconfig. What its own main does beside that
// is left out: certificates of its own, metrics, probes, leader election, a configuration file, DisaggregatedSets, PodGroups of other schedulers.
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

	leaderworkerset "sigs.k8s.io/lws/api/leaderworkerset/v1"
	"sigs.k8s.io/lws/pkg/controllers"
	"sigs.k8s.io/lws/pkg/webhooks"
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
	utilruntime.Must(leaderworkerset.AddToScheme(scheme))
	server := ctrl.GetConfigOrDie()
	server.QPS = -1
	manager, err := ctrl.NewManager(server, ctrl.Options{
		Scheme:        scheme,
		Metrics:       metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: *webhookPort, CertDir: *certificates}),
	})
	check(err)
	check(controllers.SetupIndexes(manager.GetFieldIndexer()))
	check(controllers.NewLeaderWorkerSetReconciler(manager.GetClient(), scheme, manager.GetEventRecorder("leaderworkerset")).SetupWithManager(manager))
	check(controllers.NewPodReconciler(manager.GetClient(), scheme, manager.GetEventRecorder("leaderworkerset"), nil).SetupWithManager(manager))
	check(webhooks.SetupLeaderWorkerSetWebhook(manager))
	check(webhooks.NewPodWebhook(nil).Setup(manager))
	check(manager.Start(ctrl.SetupSignalHandler()))
}
