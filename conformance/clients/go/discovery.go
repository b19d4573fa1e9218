package goclient

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
)

func checkDiscovery(_ context.Context, c *clients) error {
	version, err := c.typed.Discovery().ServerVersion()
	if err != nil {
		return err
	}
	if !strings.HasPrefix(version.GitVersion, "v1.") {
		return fmt.Errorf("version %q", version.GitVersion)
	}
	groups, resources, err := c.typed.Discovery().ServerGroupsAndResources()
	if err != nil {
		return err
	}
	if len(groups) < 10 || len(resources) < 10 {
		return fmt.Errorf("%d groups with %d versions", len(groups), len(resources))
	}
	if _, err := c.typed.Discovery().OpenAPIV3().Paths(); err != nil {
		return fmt.Errorf("OpenAPI v3: %w", err)
	}
	document, err := c.typed.Discovery().OpenAPISchema()
	if err != nil {
		return fmt.Errorf("OpenAPI v2: %w", err)
	}
	if len(document.GetDefinitions().GetAdditionalProperties()) == 0 {
		return errors.New("OpenAPI v2 defines nothing")
	}
	return nil
}

func checkMapper(_ context.Context, c *clients) error {
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(c.typed.Discovery()))
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "apps", Kind: "Deployment"})
	if err != nil {
		return err
	}
	if err := expect("the resource of Deployment", mapping.Resource.String(), "apps/v1, Resource=deployments"); err != nil {
		return err
	}
	kind, err := restmapper.NewShortcutExpander(mapper, c.typed.Discovery(), nil).KindFor(schema.GroupVersionResource{Resource: "po"})
	if err != nil {
		return err
	}
	return expect("the kind of po", kind.Kind, "Pod")
}
