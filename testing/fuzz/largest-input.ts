// Creates the largest input that a contract allows: each text, list and object at its maximum, up
// to the body limit.
import { createLargeDocument } from '#areas/content/server/document/sample-document.ts';
import type { ApiOperation } from './operations.ts';
import { buildUrl } from './requests.ts';
import type { ValueSchema } from './values.ts';

const BODY_BYTES = 1_000_000;
const QUERY_BYTES = 6_000;
/** Texts that are expensive for parsers of HTML, merge tags and filters. */
const EXPENSIVE_TEXTS = [
  '<a href="https://shop.example/x">{{ "now" | date: "%B%A" }}</a>',
  'https://shop.example/x ',
  '<div style="color:red">',
];
/** An email of the maximum size; its shape does not follow from a JSON schema. */
const DOCUMENT = createLargeDocument(480);

export type Worst = { url: string; body: string | undefined };

/**
 * Creates the largest input of a call. Each `variantIndex` selects a different value of an enum, a
 * different alternative of a union and a different expensive text. `params` are the parameters of
 * the path.
 */
export function findLargestInput(
  { path, parameters, body }: ApiOperation,
  {
    variantIndex = 0,
    params = {},
  }: { variantIndex?: number; params?: Record<string, string> } = {},
): Worst {
  const query = new URLSearchParams();
  let remaining = QUERY_BYTES;
  for (const parameter of parameters) {
    if (parameter.in !== 'query') continue;
    const value = String(
      worst(parameter.schema, { budget: Math.min(remaining, 3_000), variantIndex }),
    ).slice(0, remaining);
    remaining -= value.length;
    query.set(parameter.name, value);
  }
  const url = buildUrl(path, params);
  const text = query.size > 0 ? `${url}?${query}` : url;
  if (!body) return { url: text, body: undefined };
  for (let budget = BODY_BYTES; budget > 100; budget /= 2) {
    const json = JSON.stringify(worst(body, { budget, variantIndex }));
    if (json.length <= BODY_BYTES) return { url: text, body: json };
  }
  return { url: text, body: '{}' };
}

type SchemaLimits = { budget: number; variantIndex: number; depth?: number };

const nth = <T>(values: readonly T[], turn: number): T | undefined => values[turn % values.length];

function worst(schema: ValueSchema, { budget, variantIndex, depth = 0 }: SchemaLimits): unknown {
  const innerLimits = { budget, variantIndex, depth: depth + 1 };
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return nth(schema.enum, variantIndex);
  const choice = nth(schema.anyOf ?? schema.oneOf ?? [], variantIndex);
  if (choice) return depth > 8 ? null : worst(choice, innerLimits);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return textOf(schema, budget, variantIndex);
    case 'integer':
    case 'number':
      return Math.min(schema.maximum ?? 1_000, 1_000_000);
    case 'boolean':
      return true;
    case 'array':
      return arrayOf(schema, innerLimits);
    case 'object':
      return objectOf(schema, innerLimits);
    default:
      return null;
  }
}

function arrayOf(
  { items = {}, minItems = 0, maxItems }: ValueSchema,
  limits: SchemaLimits,
): unknown[] {
  const item = worst(items, { ...limits, budget: Math.min(limits.budget, 200) });
  const itemLength = (JSON.stringify(item)?.length ?? 4) + 1;
  const itemCount = Math.max(minItems, Math.floor(limits.budget / itemLength));
  return Array(Math.min(maxItems ?? itemCount, itemCount)).fill(item);
}

function objectOf(schema: ValueSchema, { budget, variantIndex, depth = 0 }: SchemaLimits): unknown {
  const properties = Object.entries(schema.properties ?? {});
  const budgetPerProperty = budget / Math.max(1, properties.length);
  return Object.fromEntries(
    properties.map(([name, item]) => {
      if (name === 'document' && item.type === undefined) return [name, DOCUMENT];
      return [
        name,
        depth > 8 ? null : worst(item, { budget: budgetPerProperty, variantIndex, depth }),
      ];
    }),
  );
}

function textOf(
  { format, maxLength, minLength = 0 }: ValueSchema,
  budget: number,
  turn: number,
): string {
  if (format === 'email') return 'somebody@shop.example';
  if (format === 'uri') return 'https://shop.example/';
  if (format === 'date') return turn === 0 ? '2100-12-31' : '2000-01-01';
  if (format === 'date-time') return '2100-12-31T00:00:00Z';
  const length = Math.max(minLength, Math.min(maxLength ?? budget, budget));
  const expensiveText = nth(EXPENSIVE_TEXTS, turn) as string;
  return expensiveText
    .repeat(Math.ceil(length / expensiveText.length))
    .slice(0, Math.floor(length));
}
