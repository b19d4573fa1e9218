// Package oracle asks the real kube-scheduler.
package oracle

import (
	_ "k8s.io/api/core/v1"
	_ "k8s.io/client-go/informers"
	_ "k8s.io/client-go/kubernetes/fake"
	_ "k8s.io/component-base/featuregate"
	_ "k8s.io/component-helpers/storage/volume"
	_ "k8s.io/kube-scheduler/config/v1"
	_ "k8s.io/kubernetes/pkg/apis/core/v1"
	_ "k8s.io/kubernetes/pkg/apis/core/validation"
	_ "k8s.io/kubernetes/pkg/features"
	_ "k8s.io/kubernetes/pkg/registry/core/pod"
	_ "k8s.io/kubernetes/pkg/scheduler"
	_ "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
)
