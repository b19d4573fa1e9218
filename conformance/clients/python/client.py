#!/usr/bin/python3
"""Uses an API server as programs with the Python client do: python3-kubernetes of Debian.

usage: client.py KUBECONFIG. Prints what it checked; the exit code is not 0 if something differs.
"""

import json
import sys
import threading
import time

from kubernetes import client, config, dynamic, watch
from kubernetes.client.rest import ApiException

NAMESPACE = "python-client"

DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "snakes.python.example.com"},
    "spec": {
        "group": "python.example.com",
        "scope": "Namespaced",
        "names": {"kind": "Snake", "plural": "snakes", "singular": "snake"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {"spec": {"type": "object", "properties": {"length": {"type": "integer", "minimum": 1}}}},
                    }
                },
            }
        ],
    },
}


def expect(what, found, expected):
    if found != expected:
        raise AssertionError(f"{what} is {found!r}, not {expected!r}")


def refused(status, call, *arguments, **keywords):
    """Calls, and expects to be refused with this status."""
    try:
        call(*arguments, **keywords)
    except ApiException as error:
        expect("the status", error.status, status)
        return error
    raise AssertionError(f"{call.__name__} was not refused")


def eventually(what, holds):
    deadline = time.monotonic() + 20
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"not in time: {what}")
        time.sleep(0.02)


def pod(name):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": "x"}},
        "spec": {"containers": [{"name": "c", "image": "nginx:1"}]},
    }


def deployment(name):
    labels = {"app": name}
    return client.V1Deployment(
        metadata=client.V1ObjectMeta(name=name),
        spec=client.V1DeploymentSpec(
            replicas=2,
            selector=client.V1LabelSelector(match_labels=labels),
            template=client.V1PodTemplateSpec(
                metadata=client.V1ObjectMeta(labels=labels),
                spec=client.V1PodSpec(containers=[client.V1Container(name="c", image="x:1")]),
            ),
        ),
    )


def version():
    major = client.VersionApi().get_code().major
    expect("the major version", major, "1")


def pods():
    core = client.CoreV1Api()
    made = core.create_namespaced_pod(NAMESPACE, pod("p"))
    expect("the policy by default", made.spec.containers[0].image_pull_policy, "IfNotPresent")
    refused(409, core.create_namespaced_pod, NAMESPACE, pod("p"))
    refused(422, core.create_namespaced_pod, NAMESPACE, {**pod("q"), "spec": {"containers": []}})
    changed = core.patch_namespaced_pod("p", NAMESPACE, {"metadata": {"labels": {"more": "yes"}}})
    expect("the labels", changed.metadata.labels, {"app": "x", "more": "yes"})
    found = core.list_namespaced_pod(NAMESPACE, label_selector="app=x", field_selector="metadata.name=p")
    expect("the pods", [item.metadata.name for item in found.items], ["p"])
    core.create_namespaced_binding(
        NAMESPACE, client.V1Binding(metadata=client.V1ObjectMeta(name="p"), target=client.V1ObjectReference(kind="Node", name="n")), _preload_content=False
    )
    expect("the node", core.read_namespaced_pod("p", NAMESPACE).spec.node_name, "n")
    core.delete_namespaced_pod("p", NAMESPACE, grace_period_seconds=0)
    refused(404, core.read_namespaced_pod, "p", NAMESPACE)


def deployments():
    apps = client.AppsV1Api()
    made = apps.create_namespaced_deployment(NAMESPACE, deployment("d"))
    expect("the strategy by default", made.spec.strategy.type, "RollingUpdate")
    made.spec.replicas = 3
    expect("replicas", apps.replace_namespaced_deployment("d", NAMESPACE, made).spec.replicas, 3)
    refused(409, apps.replace_namespaced_deployment, "d", NAMESPACE, made)
    scaled = apps.patch_namespaced_deployment_scale("d", NAMESPACE, {"spec": {"replicas": 5}})
    expect("scaled replicas", scaled.spec.replicas, 5)
    apps.patch_namespaced_deployment("d", NAMESPACE, [{"op": "replace", "path": "/spec/replicas", "value": 4}])
    expect("replicas", apps.read_namespaced_deployment("d", NAMESPACE).spec.replicas, 4)
    apps.delete_namespaced_deployment("d", NAMESPACE)


def pages():
    core = client.CoreV1Api()
    for number in range(5):
        core.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": f"m{number}", "labels": {"page": "yes"}}})
    names, token = [], None
    while True:
        page = core.list_namespaced_config_map(NAMESPACE, limit=2, _continue=token, label_selector="page=yes")
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue
        if not token:
            break
    expect("the names", names, [f"m{number}" for number in range(5)])
    core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="page=yes")
    expect("what is left", core.list_namespaced_config_map(NAMESPACE, label_selector="page=yes").items, [])


def watching():
    core = client.CoreV1Api()
    begin = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version

    def act():
        core.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": "w"}})
        core.patch_namespaced_config_map("w", NAMESPACE, {"data": {"k": "v"}})
        core.delete_namespaced_config_map("w", NAMESPACE)

    actor = threading.Timer(0.2, act)
    actor.start()
    seen = []
    source = watch.Watch()
    for event in source.stream(core.list_namespaced_config_map, NAMESPACE, resource_version=begin, field_selector="metadata.name=w", timeout_seconds=20):
        seen.append(event["type"])
        if event["type"] == "DELETED":
            source.stop()
    actor.join()
    expect("the events", seen, ["ADDED", "MODIFIED", "DELETED"])


def custom_objects():
    definitions = client.ApiextensionsV1Api()
    definitions.create_custom_resource_definition(DEFINITION)
    custom = client.CustomObjectsApi()
    address = ("python.example.com", "v1", NAMESPACE, "snakes")

    def served():
        try:
            custom.list_namespaced_custom_object(*address)
            return True
        except ApiException:
            return False

    eventually("the custom resource is served", served)
    snake = {"apiVersion": "python.example.com/v1", "kind": "Snake", "metadata": {"name": "s"}, "spec": {"length": 3}}
    custom.create_namespaced_custom_object(*address, snake)
    expect("the length", custom.get_namespaced_custom_object(*address, "s")["spec"]["length"], 3)
    refused(422, custom.create_namespaced_custom_object, *address, {**snake, "metadata": {"name": "t"}, "spec": {"length": 0}})
    custom.delete_namespaced_custom_object(*address, "s")


def dynamic_client():
    discovered = dynamic.DynamicClient(client.ApiClient())
    maps = discovered.resources.get(api_version="v1", kind="ConfigMap")
    made = maps.create(namespace=NAMESPACE, body={"metadata": {"name": "dynamic"}, "data": {"a": "b"}})
    expect("the data", made.data.a, "b")
    applied = maps.server_side_apply(
        name="dynamic",
        namespace=NAMESPACE,
        field_manager="py",
        body=json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dynamic"}, "data": {"c": "d"}}),
    )
    expect("the applied data", (applied.data.a, applied.data.c), ("b", "d"))
    snakes = discovered.resources.get(api_version="python.example.com/v1", kind="Snake")
    expect("the snakes", snakes.get(namespace=NAMESPACE).items, [])
    maps.delete(name="dynamic", namespace=NAMESPACE)


def cleanup():
    client.ApiextensionsV1Api().delete_custom_resource_definition("snakes.python.example.com")
    client.CoreV1Api().delete_namespace(NAMESPACE)


CHECKS = [version, pods, deployments, pages, watching, custom_objects, dynamic_client, cleanup]


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: client.py KUBECONFIG")
    config.load_kube_config(sys.argv[1])
    client.CoreV1Api().create_namespace({"metadata": {"name": NAMESPACE}})
    for check in CHECKS:
        begin = time.monotonic()
        check()
        print(f"python: {check.__name__.replace('_', ' ')} works ({time.monotonic() - begin:.1f} s)")


if __name__ == "__main__":
    main()
