// Values that follow a JSON schema, and values that do not: made by fast-check from a contract's own description.
import fc from 'fast-check';

export type Schema = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  format?: string;
  pattern?: string;
};

/** What nobody should send, and somebody will. */
const NASTY: unknown[] = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '😀'.repeat(300),
    'x'.repeat(5_000),
    '0',
    '-1',
    '1e309',
    'NaN',
    '__proto__',
  ],
  ...[
    'constructor',
    'toString',
    'zzzzzzzzzzzzzz',
    '0000-01-01',
    '0020-02-29',
    '9999-12-31',
    '2026-02-30',
  ],
  ...[
    'US/Pacific-New',
    "');--",
    '{{ "now" | date: "%B%B%B" }}',
    '<script>',
    '../../etc/passwd',
    '%00',
    ';=cmd|x',
  ],
  ...[
    'contact,equals,constructor,1,and,and,x',
    'http://127.0.0.1:1/',
    'javascript:alert(1)',
    'a@b',
    '\u202eabc',
  ],
  ...[
    0,
    -1,
    1.5,
    2 ** 53,
    -(2 ** 53),
    1e308,
    true,
    false,
    null,
    [],
    {},
    [[]],
    { toString: 1 },
    { length: -1 },
  ],
  ...[
    { constructor: 1 },
    { type: { toString: 1 } },
    JSON.parse('{"__proto__":{"x":1}}'),
    Array(200).fill('x'),
  ],
];
export const nasty = fc.constantFrom(...NASTY);

const DEEPEST = 6;

/** What values are made with: ids that exist, to be named now and then, and how often something nasty stands in. */
export type Making = { ids: fc.Arbitrary<string>; isWild: boolean };

export function valueOf(schema: Schema, making: Making, depth = 0): fc.Arbitrary<unknown> {
  const right = rightValue(schema, making, depth);
  if (!making.isWild) return right;
  return fc.oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: nasty });
}

function rightValue(schema: Schema, making: Making, depth: number): fc.Arbitrary<unknown> {
  if (depth > DEEPEST) return nasty;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((one) => rightValue(one, making, depth + 1)));
  if (schema.allOf) {
    return fc
      .tuple(...schema.allOf.map((one) => rightValue(one, making, depth + 1)))
      .map((parts) => Object.assign({}, ...parts));
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return textOf(schema, making);
    case 'integer':
    case 'number': {
      const whole = { min: schema.minimum ?? -10, max: schema.maximum ?? 1_000 };
      const least = Math.ceil(Math.min(whole.min, whole.max));
      return fc.integer({ min: least, max: Math.max(least, Math.floor(whole.max)) });
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, making, depth + 1), {
        minLength: Math.min(schema.minItems ?? 0, 20),
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? 4, 4)),
      });
    case 'object':
      return objectOf(schema, making, depth);
    default:
      return nasty;
  }
}

function objectOf(schema: Schema, making: Making, depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {}).map(
    ([name, one]) => [name, valueOf(one, making, depth + 1)] as const,
  );
  const known = fc.record(Object.fromEntries(properties), {
    requiredKeys: schema.required?.filter((name) => schema.properties?.[name]) ?? [],
  });
  const more =
    typeof schema.additionalProperties === 'object'
      ? fc.dictionary(
          fc.oneof(making.ids, fc.constantFrom('title', 'constructor', '__proto__')),
          valueOf(schema.additionalProperties, making, depth + 1),
          { maxKeys: 3 },
        )
      : fc.oneof(
          { weight: making.isWild ? 9 : 999, arbitrary: fc.constant({}) },
          { weight: 1, arbitrary: fc.constantFrom({ constructor: 1 }, { unknown_name: 'x' }) },
        );
  return fc.tuple(known, more).map(([own, others]) => ({ ...own, ...others }));
}

function textOf(schema: Schema, { ids }: Making): fc.Arbitrary<string> {
  const { format, minLength = 0, maxLength = 60 } = schema;
  if (format === 'email') return fc.nat(50).map((n) => `person${n}@shop.example`);
  if (format === 'uri') return fc.nat(50).map((n) => `https://shop.example/${n}`);
  if (format === 'date')
    return fc.nat(700).map((n) => new Date(17e11 + n * 864e5).toISOString().slice(0, 10));
  if (format === 'date-time')
    return fc.nat(700).map((n) => new Date(17e11 + n * 864e5).toISOString());
  if (schema.pattern && !format) {
    try {
      return fc.stringMatching(new RegExp(schema.pattern), { size: 'small' });
    } catch {
      // Look-arounds: anything then.
    }
  }
  const free = fc.string({
    unit: 'grapheme',
    minLength,
    maxLength: Math.max(minLength, Math.min(maxLength, 60)),
  });
  return fc.oneof(
    { weight: 4, arbitrary: ids },
    { weight: 2, arbitrary: free },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '1',
        'Tea House',
        'eng',
        'true',
        'created',
        'desc',
        '<p>{{ email }}</p>',
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('2030-01-01 10:00:00', '2030-01-01', '#ff0000', '+4791234567'),
    },
  );
}
