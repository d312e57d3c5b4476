// Generates values with fast-check that follow or violate the JSON schema of a contract.
import fc from 'fast-check';

export type ValueSchema = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: ValueSchema[];
  oneOf?: ValueSchema[];
  allOf?: ValueSchema[];
  properties?: Record<string, ValueSchema>;
  required?: string[];
  additionalProperties?: boolean | ValueSchema;
  items?: ValueSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  format?: string;
  pattern?: string;
};

/** Invalid and unusual input. */
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

const MAX_DEPTH = 6;

/**
 * Settings of the generator. About half of the texts are `ids`. If `isWild`, about one value in
 * seven is invalid or unusual; otherwise such values are rare.
 */
export type GeneratorSettings = { ids: fc.Arbitrary<string>; isWild: boolean };

export function sampleValue(
  schema: ValueSchema,
  settings: GeneratorSettings,
  depth = 0,
): fc.Arbitrary<unknown> {
  const valid = validValue(schema, settings, depth);
  if (!settings.isWild) return valid;
  return fc.oneof({ weight: 6, arbitrary: valid }, { weight: 1, arbitrary: nasty });
}

function validValue(
  schema: ValueSchema,
  settings: GeneratorSettings,
  depth: number,
): fc.Arbitrary<unknown> {
  if (depth > MAX_DEPTH) return nasty;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => validValue(choice, settings, depth + 1)));
  if (schema.allOf) {
    return fc
      .tuple(...schema.allOf.map((segment) => validValue(segment, settings, depth + 1)))
      .map((segments) => Object.assign({}, ...segments));
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return textOf(schema, settings);
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return arrayOf(schema, settings, depth);
    case 'object':
      return objectOf(schema, settings, depth);
    default:
      return nasty;
  }
}

function numberOf({ minimum = -10, maximum = 1_000 }: ValueSchema): fc.Arbitrary<number> {
  const min = Math.ceil(Math.min(minimum, maximum));
  return fc.integer({ min, max: Math.max(min, Math.floor(maximum)) });
}

function arrayOf(
  { items = {}, minItems = 0, maxItems = 4 }: ValueSchema,
  settings: GeneratorSettings,
  depth: number,
): fc.Arbitrary<unknown[]> {
  return fc.array(sampleValue(items, settings, depth + 1), {
    minLength: Math.min(minItems, 20),
    maxLength: Math.max(minItems, Math.min(maxItems, 4)),
  });
}

function objectOf(
  schema: ValueSchema,
  settings: GeneratorSettings,
  depth: number,
): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {}).map(
    ([name, property]) => [name, sampleValue(property, settings, depth + 1)] as const,
  );
  const declaredProperties = fc.record(Object.fromEntries(properties), {
    requiredKeys: schema.required?.filter((name) => schema.properties?.[name]) ?? [],
  });
  const undeclaredProperties =
    typeof schema.additionalProperties === 'object'
      ? fc.dictionary(
          fc.oneof(settings.ids, fc.constantFrom('title', 'constructor', '__proto__')),
          sampleValue(schema.additionalProperties, settings, depth + 1),
          { maxKeys: 3 },
        )
      : fc.oneof(
          { weight: settings.isWild ? 9 : 999, arbitrary: fc.constant({}) },
          { weight: 1, arbitrary: fc.constantFrom({ constructor: 1 }, { unknown_name: 'x' }) },
        );
  return fc
    .tuple(declaredProperties, undeclaredProperties)
    .map(([declared, undeclared]) => ({ ...declared, ...undeclared }));
}

function textOf(schema: ValueSchema, { ids }: GeneratorSettings): fc.Arbitrary<string> {
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
      // Lookarounds are not supported, so any text is used instead.
    }
  }
  const anyText = fc.string({
    unit: 'grapheme',
    minLength,
    maxLength: Math.max(minLength, Math.min(maxLength, 60)),
  });
  return fc.oneof(
    { weight: 4, arbitrary: ids },
    { weight: 2, arbitrary: anyText },
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
