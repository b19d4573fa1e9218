package goclient

import (
	"context"
	"errors"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/yaml"
)

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: robots.proof.example.com}
spec:
  group: proof.example.com
  scope: Namespaced
  names: {kind: Robot, plural: robots, singular: robot}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              arms: {type: integer, minimum: 1, default: 2}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

var (
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	robots      = schema.GroupVersionResource{Group: "proof.example.com", Version: "v1", Resource: "robots"}
)

func newRobot(name string, arms int64) *unstructured.Unstructured {
	spec := map[string]any{}
	if arms != 0 {
		spec["arms"] = arms
	}
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "proof.example.com/v1", "kind": "Robot", "metadata": map[string]any{"name": name}, "spec": spec}}
}

func (c *clients) define(ctx context.Context) error {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(definition), &object.Object); err != nil {
		return err
	}
	if _, err := c.dynamic.Resource(definitions).Create(ctx, object, v1.CreateOptions{}); err != nil {
		return err
	}
	return eventually(ctx, "an established definition", func() bool {
		_, err := c.dynamic.Resource(robots).Namespace(c.namespace).List(ctx, v1.ListOptions{})
		return err == nil
	})
}

func checkCustomResources(ctx context.Context, c *clients) error {
	if err := c.define(ctx); err != nil {
		return err
	}
	resource := c.dynamic.Resource(robots).Namespace(c.namespace)
	var told counts
	informer := dynamicinformer.NewFilteredDynamicInformer(c.dynamic, robots, c.namespace, 0, cache.Indexers{}, nil).Informer()
	if _, err := informer.AddEventHandler(told.handler()); err != nil {
		return err
	}
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return errors.New("its informer does not sync")
	}
	made, err := resource.Create(ctx, newRobot("r", 0), v1.CreateOptions{})
	if err != nil {
		return err
	}
	arms, _, _ := unstructured.NestedInt64(made.Object, "spec", "arms")
	if err := expect("arms by default", arms, 2); err != nil {
		return err
	}
	if _, err := resource.Create(ctx, newRobot("bad", -1), v1.CreateOptions{}); !apierrors.IsInvalid(err) {
		return fmt.Errorf("-1 arms: %v, not Invalid", err)
	}
	if made, err = resource.Patch(ctx, "r", types.MergePatchType, []byte(`{"status":{"works":true}}`), v1.PatchOptions{}, "status"); err != nil {
		return err
	}
	if works, _, _ := unstructured.NestedBool(made.Object, "status", "works"); !works {
		return errors.New("the status was not written")
	}
	if err := resource.Delete(ctx, "r", v1.DeleteOptions{}); err != nil {
		return err
	}
	if err := eventually(ctx, "all that happened", func() bool { return told.added.Load() == 1 && told.updated.Load() == 1 && told.deleted.Load() == 1 }); err != nil {
		return err
	}
	return c.dynamic.Resource(definitions).Delete(ctx, "robots.proof.example.com", v1.DeleteOptions{})
}

func checkReviews(ctx context.Context, c *clients) error {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "create", Resource: "pods"}}}
	answer, err := c.typed.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, v1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := expect("whether the administrator may", answer.Status.Allowed, true); err != nil {
		return err
	}
	config := rest.CopyConfig(c.config)
	config.Impersonate.UserName = "nobody"
	nobody, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	if answer, err = nobody.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, v1.CreateOptions{}); err != nil {
		return err
	}
	if err := expect("whether nobody may", answer.Status.Allowed, false); err != nil {
		return err
	}
	if _, err := nobody.CoreV1().Pods(c.namespace).List(ctx, v1.ListOptions{}); !apierrors.IsForbidden(err) {
		return fmt.Errorf("nobody lists pods: %v, not Forbidden", err)
	}
	return nil
}

func checkTokens(ctx context.Context, c *clients) error {
	accounts := c.typed.CoreV1().ServiceAccounts(c.namespace)
	if _, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: v1.ObjectMeta{Name: "robot"}}, v1.CreateOptions{}); err != nil {
		return err
	}
	token, err := accounts.CreateToken(ctx, "robot", &authenticationv1.TokenRequest{}, v1.CreateOptions{})
	if err != nil {
		return err
	}
	config := rest.AnonymousClientConfig(c.config)
	config.BearerToken = token.Status.Token
	robot, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	self, err := robot.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, v1.CreateOptions{})
	if err != nil {
		return err
	}
	return expect("the token's user", self.Status.UserInfo.Username, "system:serviceaccount:"+c.namespace+":robot")
}
