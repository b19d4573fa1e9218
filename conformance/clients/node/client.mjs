// Uses an API server as programs with @kubernetes/client-node do.
//
// usage: node client.mjs KUBECONFIG. Prints what it checked; the exit code is not 0 if something differs.

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import * as k8s from '@kubernetes/client-node';

const namespace = 'node-client';
const config = new k8s.KubeConfig();

// refused expects a call to be refused with a status.
async function refused(status, promise) {
  await assert.rejects(promise, (error) => {
    assert.equal(error.code, status);
    return true;
  });
}

async function eventually(what, holds) {
  const deadline = Date.now() + 20000;
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, `not in time: ${what}`);
    await pause(20);
  }
}

const configMap = (name, data = {}) => ({ metadata: { name, labels: { by: 'node' } }, data });

async function version() {
  const { major } = await config.makeApiClient(k8s.VersionApi).getCode();
  assert.equal(major, '1');
}

async function objects() {
  const core = config.makeApiClient(k8s.CoreV1Api);
  const body = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
  const pod = await core.createNamespacedPod({ namespace, body });
  assert.equal(pod.spec.containers[0].imagePullPolicy, 'Always');
  assert.ok(pod.metadata.creationTimestamp instanceof Date);
  await refused(409, core.createNamespacedPod({ namespace, body }));
  await refused(404, core.readNamespacedPod({ namespace, name: 'nope' }));
  const listed = await core.listNamespacedPod({ namespace, fieldSelector: 'metadata.name=p' });
  assert.deepEqual(listed.items.map((item) => item.metadata.name), ['p']);
  await core.deleteNamespacedPod({ namespace, name: 'p', gracePeriodSeconds: 0 });
}

async function patches() {
  const core = config.makeApiClient(k8s.CoreV1Api);
  await core.createNamespacedConfigMap({ namespace, body: configMap('m', { a: '1' }) });
  const json = await core.patchNamespacedConfigMap({ namespace, name: 'm', body: [{ op: 'add', path: '/data/b', value: '2' }] },
    k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.JsonPatch));
  assert.deepEqual(json.data, { a: '1', b: '2' });
  const merged = await core.patchNamespacedConfigMap({ namespace, name: 'm', body: { data: { a: null } } },
    k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.MergePatch));
  assert.deepEqual(merged.data, { b: '2' });
  const applied = await core.patchNamespacedConfigMap(
    { namespace, name: 'm', fieldManager: 'node', force: true, body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data: { c: '3' } } },
    k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.ServerSideApply));
  assert.deepEqual(applied.data, { b: '2', c: '3' });
}

async function watching() {
  const core = config.makeApiClient(k8s.CoreV1Api);
  const { metadata } = await core.listNamespacedConfigMap({ namespace });
  const seen = [];
  const watch = new k8s.Watch(config);
  const controller = await watch.watch(`/api/v1/namespaces/${namespace}/configmaps`, { resourceVersion: metadata.resourceVersion, fieldSelector: 'metadata.name=w' },
    (type) => seen.push(type), () => {});
  await core.createNamespacedConfigMap({ namespace, body: configMap('w') });
  await core.deleteNamespacedConfigMap({ namespace, name: 'w' });
  await eventually('both events', () => seen.length === 2);
  controller.abort();
  assert.deepEqual(seen, ['ADDED', 'DELETED']);
}

async function informer() {
  const core = config.makeApiClient(k8s.CoreV1Api);
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const watched = k8s.makeInformer(config, path, () => core.listNamespacedConfigMap({ namespace }));
  const seen = [];
  for (const verb of ['add', 'update', 'delete']) {
    watched.on(verb, (object) => object.metadata.name === 'i' && seen.push(verb));
  }
  await watched.start();
  await core.createNamespacedConfigMap({ namespace, body: configMap('i') });
  await core.replaceNamespacedConfigMap({ namespace, name: 'i', body: configMap('i', { k: 'v' }) });
  await core.deleteNamespacedConfigMap({ namespace, name: 'i' });
  await eventually('an addition, a change and a deletion', () => seen.length >= 3);
  await watched.stop();
  assert.deepEqual(seen, ['add', 'update', 'delete']);
}

async function objectApi() {
  const api = k8s.KubernetesObjectApi.makeApiClient(config);
  const spec = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', namespace },
    spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } } } };
  const made = await api.create(spec);
  assert.equal(made.spec.replicas, 1);
  const read = await api.read({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', namespace } });
  assert.equal(read.metadata.uid, made.metadata.uid);
  await api.delete(spec);
}

async function cleanup() {
  await config.makeApiClient(k8s.CoreV1Api).deleteNamespace({ name: namespace });
}

async function main() {
  if (process.argv.length !== 3) {
    throw new Error('usage: node client.mjs KUBECONFIG');
  }
  config.loadFromFile(process.argv[2]);
  await config.makeApiClient(k8s.CoreV1Api).createNamespace({ body: { metadata: { name: namespace } } });
  for (const check of [version, objects, patches, watching, informer, objectApi, cleanup]) {
    const begin = Date.now();
    await check();
    console.log(`node: ${check.name} works (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
  }
}

main().then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
