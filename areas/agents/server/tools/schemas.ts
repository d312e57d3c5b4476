// Input schemas of tools. Clients drop tools if their schemas have `$ref`, or `anyOf` or `oneOf` at
// the root, so every schema is a flat object.
import { z } from 'zod';
import { ALL_CONDITION_TYPES, MAX_CONDITIONS, OPERATORS } from '#areas/segments/shared.ts';

export const id = (description: string) =>
  z.string().min(1).max(60).describe(`ID of the ${description}`);
export const ids = (description: string) =>
  z.array(z.string().min(1).max(60)).max(100).describe(`IDs of ${description}`);
export const cursor = z
  .string()
  .max(20)
  .optional()
  .describe('The `next_cursor` of the previous answer, to get the next rows');
export const search = z.string().max(255).optional().describe('The text to search for');
export const idempotencyKey = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('Identical calls with the same key within 24 hours are executed once');
export const revision = z
  .number()
  .int()
  .positive()
  .optional()
  .describe(
    'The revision on which the change is based; the change is refused if the draft has changed since then',
  );

const Condition = z.strictObject({
  type: z.enum(ALL_CONDITION_TYPES).describe('See the resource guide://conditions'),
  operator: z.enum(OPERATORS),
  values: z
    .array(z.string().max(1000))
    .max(100)
    .default([])
    .describe('No value, one value, both ends of a range, or several values'),
  field: z
    .string()
    .max(60)
    .optional()
    .describe('The ID of the custom field or custom event, for conditions of these types'),
  group: z
    .number()
    .int()
    .min(1)
    .max(50)
    .default(1)
    .describe('Conditions with the same number form one parenthesized group'),
  join: z.enum(['and', 'or']).default('and').describe('Joins the condition to the previous one'),
});
export const conditions = z.array(Condition).min(1).max(MAX_CONDITIONS);

/** Converts conditions to the form of the segments calls. */
export function formatConditions(list: z.output<typeof conditions>) {
  const startedGroups = new Set<number>();
  return list.map(({ type, operator, values, field, group, join }) => {
    const startsGroup = startedGroups.size > 0 && !startedGroups.has(group);
    startedGroups.add(group);
    return {
      type,
      operator,
      operand: values[0] ?? '',
      more: values.slice(1),
      group,
      outside_concat: startsGroup ? join : 'and',
      inside_concat: startsGroup ? 'and' : join,
      key: field ?? '',
    };
  });
}

export const BLOCK_TYPES = ['heading', 'text', 'button', 'image', 'divider', 'footer'] as const;
const Block = z.strictObject({
  type: z.enum(BLOCK_TYPES),
  text: z
    .string()
    .max(20_000)
    .default('')
    .describe('heading, text, footer: plain text, a blank line starts a paragraph; button: label'),
  url: z.string().max(2000).default('').describe('button, image: link'),
  // Images on other servers are refused, because they would load when a user opens the draft, and
  // their URL could disclose data.
  image_url: z
    .string()
    .max(200)
    .regex(/^(?:\/i\/[\w-]+\/[\w-]+\.[a-z]{3,4})?$/)
    .default('')
    .describe('image: address in the image library of the account, /i/…'),
  alt: z.string().max(255).default('').describe('image: alternative text'),
});
export const blocks = z
  .array(Block)
  .min(1)
  .max(100)
  .describe('Content from top to bottom; merge tags such as {{firstname}} are allowed');
export type BlockInput = z.output<typeof Block>;
