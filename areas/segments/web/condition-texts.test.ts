// The builder computes text keys from types, operators and operands, so the check of texts cannot see
// them: each condition type has all its texts in each language.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LANGUAGES } from '#platform/languages.ts';
import { FAMILIES, getOperandKind, listOperators } from '../conditions.ts';
import {
  ALL_CONDITION_TYPES,
  CONDITION_TYPES,
  EVENT_CONDITION_TYPES,
  SMS_CONDITION_TYPES,
} from '../shared.ts';
import { operatorKey } from './condition-texts.ts';

const ID_KINDS = new Set(['groups', 'campaigns', 'sms_campaigns', 'stores', 'products']);

/** Returns the keys of segments.json that the builder shows for the condition types. */
function listKeys(): Set<string> {
  const named = [...CONDITION_TYPES, ...SMS_CONDITION_TYPES, ...EVENT_CONDITION_TYPES];
  const keys = new Set([
    ...named.map((type) => `types.${type}`),
    ...[...Object.keys(FAMILIES), 'fields', 'events'].map((family) => `families.${family}`),
  ]);
  for (const type of ALL_CONDITION_TYPES)
    for (const operator of listOperators(type)) {
      keys.add(operatorKey(type, operator));
      const kind = getOperandKind(type, operator) ?? '';
      if (kind === 'count') keys.add(`counts.${operator}`);
      if (ID_KINDS.has(kind)) keys.add(`choose.${kind}`).add(`none.${kind}`);
    }
  return keys;
}

test.each(LANGUAGES)('each condition type has its texts in the builder in %s', (language) => {
  const file = path.resolve(import.meta.dirname, `../../../locales/${language}/segments.json`);
  const texts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const read = (key: string) =>
    key
      .split('.')
      .reduce<unknown>((part, name) => (part as Record<string, unknown>)?.[name], texts);
  const keys = [...listKeys()];
  expect(keys.length).toBeGreaterThan(80);
  expect(keys.filter((key) => typeof read(key) !== 'string')).toEqual([]);
});
