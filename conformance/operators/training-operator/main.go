// Command training-operator runs the controllers and webhooks of kubeflow's training-operator, unmodified, against the server of a kubeconfig. What its
// own main does beside that is left out: certificates of its own, metrics, probes, leader election, and its limits on requests.
package main

import (
	"flag"
	"log"

	"go.uber.org/zap/zapcore"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	schedulerplugins "sigs.k8s.io/scheduler-plugins/apis/scheduling/v1alpha1"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	volcanoclient "volcano.sh/apis/pkg/client/clientset/versioned"

	kubeflow "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"github.com/kubeflow/training-operator/pkg/config"
	controllers "github.com/kubeflow/training-operator/pkg/controller.v1"
	"github.com/kubeflow/training-operator/pkg/controller.v1/common"
	"github.com/kubeflow/training-operator/pkg/webhooks"
)

func main() {
	webhookPort := flag.Int("webhook-port", 9443, "where the webhooks listen, on loopback")
	certificates := flag.String("certificates", "", "the folder of tls.crt and tls.key")
	gangs := flag.Bool("volcano", false, "make Volcano's PodGroups")
	flag.Parse() // --kubeconfig is controller-runtime's own
	ctrl.SetLogger(zap.New(zap.Level(zapcore.InfoLevel)))
	config.Config.PyTorchInitContainerImage = config.PyTorchInitContainerImageDefault
	config.Config.PyTorchInitContainerTemplateFile = config.PyTorchInitContainerTemplateFileDefault
	config.Config.PyTorchInitContainerMaxTries = config.PyTorchInitContainerMaxTriesDefault
	config.Config.MPIKubectlDeliveryImage = config.MPIKubectlDeliveryImageDefault

	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, kubeflow.AddToScheme, volcano.AddToScheme, schedulerplugins.AddToScheme,
	} {
		utilruntime.Must(add(scheme))
	}
	server := ctrl.GetConfigOrDie()
	server.QPS = -1
	manager, err := ctrl.NewManager(server, ctrl.Options{
		Scheme:        scheme,
		Metrics:       metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: *webhookPort, CertDir: *certificates}),
	})
	if err != nil {
		log.Fatal(err)
	}
	gangScheduling := common.GenNonGangSchedulerSetupFunc()
	if *gangs {
		gangScheduling = common.GenVolcanoSetupFunc(volcanoclient.NewForConfigOrDie(server))
	}
	for kind, setUp := range controllers.SupportedSchemeReconciler {
		if err := setUp(manager, gangScheduling, 1); err != nil {
			log.Fatalf("%s: %v", kind, err)
		}
		if err := webhooks.SupportedSchemeWebhook[kind](manager); err != nil {
			log.Fatalf("webhook of %s: %v", kind, err)
		}
	}
	if err := manager.Start(ctrl.SetupSignalHandler()); err != nil {
		log.Fatal(err)
	}
}
