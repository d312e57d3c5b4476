// Variables of a template: names that its content uses or its author added, each with a sample
// value for previews, test emails and code samples. Also the values of a call as merge tags read
// them.
import type { MergeValue, MergeValues } from '#areas/content/server/index.ts';
import { isShopName } from '../../content/shop-names.ts';
import { PERSON_TAGS, SYSTEM_TAGS } from '../../content/shared.ts';
import type { VariableSample, TemplateVariable } from '../contract.ts';
import { MAX_VARIABLES } from '../shared.ts';

/** Maps each name to the properties of its items if it is a list, otherwise to undefined. */
export type UsedVariables = Map<string, Set<string> | undefined>;
export type DeclaredVariable = { name: string; sample: VariableSample };

const TAG = /\{\{-?\s*([a-zA-Z_][\w-]*(?:\.[a-zA-Z_][\w-]*){0,4})/g;
const LOOP = /\{%-?\s*for\s+([a-zA-Z_]\w*)\s+in\s+([a-zA-Z_][\w.]{0,99})/g;
const CONDITION = /\{%-?\s*(?:if|elsif|unless)\s([^%{}]{0,500})/g;
const ASSIGNED = /\{%-?\s*(?:assign|capture)\s+([a-zA-Z_]\w*)/g;
const QUOTED = /"[^"]*"|'[^']*'/g;
const WORD = /[a-zA-Z_][\w-]*(?:\.[a-zA-Z_][\w-]*){0,4}/g;
const OPERATORS = new Set(['and', 'or', 'not', 'contains', 'true', 'false', 'nil', 'null']);
const OTHER_WORDS = new Set(['empty', 'blank', 'forloop']);
const RESERVED = new Set<string>([...SYSTEM_TAGS, ...PERSON_TAGS]);
/** Properties that every list has in the template language. */
const OF_LISTS = new Set(['size', 'first', 'last']);

/**
 * Finds the variables used in the text, at most `MAX_VARIABLES` besides lists. Product, subscriber
 * and store tags are not variables.
 * @param fields names of the account's custom fields, which are not variables either
 */
export function findVariables(
  templates: readonly string[],
  fields: readonly string[] = [],
): UsedVariables {
  const usedVariables: UsedVariables = new Map();
  const loops = new Map<string, string>();
  const text = templates.join('\n');
  const excluded = new Set([...RESERVED, ...fields]);
  for (const [, name] of text.matchAll(ASSIGNED)) excluded.add(name as string);
  for (const [, item, list] of text.matchAll(LOOP)) loops.set(item as string, list as string);
  const addVariable = (path: string) => {
    const [head = '', ...rest] = path.split('.');
    const list = loops.get(head);
    if (list !== undefined) return addItem(usedVariables, loops, list, rest[0]);
    if (excluded.has(head) || OPERATORS.has(head) || OTHER_WORDS.has(head) || isShopName(head))
      return;
    const name = OF_LISTS.has(rest.at(-1) ?? '') ? [head, ...rest].slice(0, -1).join('.') : path;
    if (!usedVariables.has(name) && usedVariables.size < MAX_VARIABLES)
      usedVariables.set(name, undefined);
  };
  for (const list of loops.values()) addItem(usedVariables, loops, list, undefined);
  for (const [, path] of text.matchAll(TAG)) addVariable(path as string);
  for (const [, words] of text.matchAll(CONDITION))
    for (const [path] of (words as string).replaceAll(QUOTED, ' ').matchAll(WORD))
      addVariable(path);
  // `order` is an object if the content uses `order.number`.
  for (const name of [...usedVariables.keys()])
    if ([...usedVariables.keys()].some((other) => other.startsWith(`${name}.`)))
      usedVariables.delete(name);
  return usedVariables;
}

/** Adds a list, and a property of its items; a list within the items of another list is ignored. */
function addItem(
  usedVariables: UsedVariables,
  loops: ReadonlyMap<string, string>,
  list: string,
  property: string | undefined,
): void {
  if (loops.has(list.split('.')[0] as string)) return;
  const items = usedVariables.get(list) ?? new Set<string>();
  usedVariables.set(list, items);
  if (property !== undefined) items.add(property);
}

/** Returns all strings of a document, with tables that repeat for a list written as loops. */
export function listTemplateTexts(node: unknown): string[] {
  if (typeof node === 'string') return [node];
  if (typeof node !== 'object' || node === null) return [];
  const templates = Object.values(node).flatMap(listTemplateTexts);
  const { type, each } = node as { type?: unknown; each?: unknown };
  const isLoop = type === 'table' && typeof each === 'string' && each !== '';
  return isLoop ? [`{% for item in ${each} %}`, ...templates] : templates;
}

/**
 * Returns the variables that the content uses, then the others that the author declared, with
 * samples.
 * @param defaults default samples by name, such as an amount for `total`
 */
export function addSamples(
  usedVariables: UsedVariables,
  declared: readonly DeclaredVariable[],
  defaults: Readonly<Record<string, unknown>>,
): TemplateVariable[] {
  const samples = new Map(declared.map(({ name, sample }) => [name, sample]));
  const usedSamples = [...usedVariables].map(([name, items]) => ({
    name,
    sample: samples.get(name) ?? defaultSample(name, items, defaults),
    is_used: true,
  }));
  const unusedSamples = declared.filter(({ name }) => !usedVariables.has(name));
  return [...usedSamples, ...unusedSamples.map((name) => ({ ...name, is_used: false }))];
}

function defaultSample(
  name: string,
  items: Set<string> | undefined,
  defaults: Readonly<Record<string, unknown>>,
): VariableSample {
  const key = name.replaceAll('.', '_');
  const sample = Object.hasOwn(defaults, key) ? (defaults[key] as VariableSample) : undefined;
  if (items === undefined) return Array.isArray(sample) ? name : (sample ?? name);
  const list = Array.isArray(sample) && sample.length > 0 ? sample : [{}];
  if (items.size === 0) return list.map((value) => (isMap(value) ? name : value));
  return list.map((value) => {
    const record = isMap(value) ? value : {};
    return Object.fromEntries([...items].map((item) => [item, record[item] ?? item]));
  });
}

const isMap = (value: unknown): value is Record<string, string | number | boolean> =>
  typeof value === 'object' && value !== null;

/** Samples by name as in the body of a call: dots in the names become nested objects. */
export function createSampleValues(
  variables: readonly { name: string; sample: VariableSample }[],
): Record<string, unknown> {
  const values = emptyMap();
  for (const { name, sample } of variables) {
    const path = name.split('.');
    const lastName = path.pop() as string;
    let node = values;
    for (const segment of path) {
      const next = Object.hasOwn(node, segment) ? node[segment] : undefined;
      node = (
        isMap(next) && !Array.isArray(next) ? next : (node[segment] = emptyMap())
      ) as typeof node;
    }
    node[lastName] = sample;
  }
  return values;
}

/** Has no prototype, so that `__proto__` is a name like any other. */
const emptyMap = () => Object.create(null) as Record<string, unknown>;

const MAX_DEPTH = 5;

/** Values as merge tags read them: lists become text, and deeply nested objects are left out. */
export const flatValues = (values: object): MergeValues => mapOf(values, 1);

function mapOf(map: object, depth: number): Record<string, MergeValue> {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, valueOf(value, depth)]),
  );
}

function valueOf(value: unknown, depth: number): MergeValue {
  if (Array.isArray(value)) return value.map((value) => String(value)).join(', ');
  if (value !== null && typeof value === 'object')
    return depth >= MAX_DEPTH ? undefined : mapOf(value, depth + 1);
  return value as MergeValue;
}
