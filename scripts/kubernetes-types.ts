// Extracts the parts of Kubernetes' published types that our manifests use, for the test of the
// manifests: `node scripts/kubernetes-types.ts <folder>`, where the folder is the unpacked npm
// package @kubernetes/client-node, which is generated from Kubernetes' OpenAPI.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TARGET = join(import.meta.dirname, '..', 'testing', 'kubernetes-types.json');
const TYPE_BY_KIND = {
  'v1 ConfigMap': 'V1ConfigMap',
  'v1 Namespace': 'V1Namespace',
  'v1 PersistentVolumeClaim': 'V1PersistentVolumeClaim',
  'v1 Secret': 'V1Secret',
  'v1 Service': 'V1Service',
  'v1 ServiceAccount': 'V1ServiceAccount',
  'apps/v1 Deployment': 'V1Deployment',
  'autoscaling/v2 HorizontalPodAutoscaler': 'V2HorizontalPodAutoscaler',
  'batch/v1 CronJob': 'V1CronJob',
  'batch/v1 Job': 'V1Job',
  'networking.k8s.io/v1 Ingress': 'V1Ingress',
  'networking.k8s.io/v1 NetworkPolicy': 'V1NetworkPolicy',
  'policy/v1 PodDisruptionBudget': 'V1PodDisruptionBudget',
};

type KubernetesField = { type: string; required: boolean };
type Types = Record<string, Record<string, KubernetesField>>;

function fieldsOf(models: string, type: string): Record<string, KubernetesField> {
  const code = readFileSync(join(models, `${type}.js`), 'utf8');
  const declaration = readFileSync(join(models, `${type}.d.ts`), 'utf8');
  const list = /attributeTypeMap = (\[[\s\S]*?\n\]);/.exec(code)?.[1] ?? '[]';
  return Object.fromEntries(
    (JSON.parse(list) as { name: string; baseName: string; type: string }[]).map((field) => [
      field.baseName,
      { type: field.type, required: new RegExp(`^ {4}'${field.name}': `, 'm').test(declaration) },
    ]),
  );
}

/**
 * Returns the names of the types that a field's type contains, for example `V1Container` for
 * `Array<V1Container>`.
 */
const typesIn = (type: string) => type.match(/\b[A-Z][A-Za-z0-9]+(?![<\w])/g) ?? [];

function reachableTypes(models: string): Types {
  const types: Types = {};
  const pending: string[] = Object.values(TYPE_BY_KIND);
  for (let type = pending.pop(); type; type = pending.pop()) {
    if (types[type] || type === 'IntOrString' || type === 'Date') continue;
    const fields = fieldsOf(models, type);
    types[type] = fields;
    for (const { type: fieldType } of Object.values(fields)) pending.push(...typesIn(fieldType));
  }
  return Object.fromEntries(Object.entries(types).toSorted(([a], [b]) => a.localeCompare(b)));
}

const folder = process.argv[2];
if (!folder) throw new Error('Specify the folder of the unpacked package @kubernetes/client-node.');
const models = join(folder, 'dist', 'gen', 'models');
const release = /spec version: (\S+)/.exec(readFileSync(join(models, 'V1Pod.js'), 'utf8'))?.[1];
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const sourceNote = `Kubernetes ${release}, Apache-2.0, by @kubernetes/client-node ${version}`;
writeFileSync(
  TARGET,
  `${JSON.stringify({ from: sourceNote, kinds: TYPE_BY_KIND, types: reachableTypes(models) })}\n`,
);
