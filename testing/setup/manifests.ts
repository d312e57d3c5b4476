// Validates Kubernetes manifests against the published types.
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import published from '../kubernetes-types.json' with { type: 'json' };

type SchemaField = { type: string; required: boolean };
type SchemaValue = unknown;
export type KubernetesManifest = Record<string, SchemaValue> & {
  kind: string;
  metadata: { name: string };
};

const TYPE_BY_KIND = published.kinds as Record<string, string>;
const TYPES = published.types as unknown as Record<string, Record<string, SchemaField>>;

/** Returns the documents of a YAML file. */
export function readManifests(file: string): KubernetesManifest[] {
  return parseAllDocuments(readFileSync(file, 'utf8'))
    .filter(({ contents }) => contents !== null)
    .map((document) => {
      if (document.errors[0]) throw document.errors[0];
      return document.toJS() as KubernetesManifest;
    });
}

/** Returns violations of the published types, one sentence each. */
export function findManifestViolations(manifest: Record<string, SchemaValue>): string[] {
  const kind = `${manifest.apiVersion} ${manifest.kind}`;
  const type = TYPE_BY_KIND[kind];
  return type ? objectViolations(kind, manifest, type) : [`${kind}: the kind is unknown.`];
}

function objectViolations(path: string, value: SchemaValue, type: string): string[] {
  const fields = TYPES[type];
  if (!fields) return [`${path}: the type ${type} is unknown.`];
  if (!isObject(value)) return [`${path} must be an object.`];
  const missing = Object.entries(fields)
    .filter(([name, { required }]) => required && value[name] === undefined)
    .map(([name]) => `${path}.${name} is missing.`);
  const fieldViolations = Object.entries(value).flatMap(([name, inner]) => {
    const field = fields[name];
    return field
      ? valueViolations(`${path}.${name}`, inner, field.type)
      : [`${path}.${name}: ${type} has no such field.`];
  });
  return [...missing, ...fieldViolations];
}

function valueViolations(path: string, value: SchemaValue, type: string): string[] {
  const list = /^Array<(.+)>$/.exec(type)?.[1];
  if (list !== undefined) {
    return Array.isArray(value)
      ? value.flatMap((item, index) => valueViolations(`${path}[${index}]`, item, list))
      : [`${path} must be a list.`];
  }
  const values = /^\{ \[key: string\]: (.+); \}$/.exec(type)?.[1];
  if (values !== undefined) {
    return isObject(value)
      ? Object.entries(value).flatMap(([key, entry]) =>
          valueViolations(`${path}.${key}`, entry, values),
        )
      : [`${path} must be an object.`];
  }
  const isValid = SIMPLE_TYPES[type];
  if (isValid) return isValid(value) ? [] : [`${path} must be of type ${type}.`];
  return objectViolations(path, value, type);
}

const SIMPLE_TYPES: Record<string, (value: SchemaValue) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  Date: (value) => typeof value === 'string',
  IntOrString: (value) => Number.isInteger(value) || typeof value === 'string',
  any: () => true,
};

const isObject = (value: SchemaValue): value is Record<string, SchemaValue> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
