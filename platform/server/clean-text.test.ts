// Text that PostgreSQL cannot store is cleaned in JSON, forms and values.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanJson, cleanText, cleanValue, cutText, parseForm, parseJson } from './clean-text.ts';

const unit = fc.constantFrom('a', '\0', '\ud83d', '\ude00', '😀', '\\', '"', 'u0000', 'ud83d');
const anyText = fc.array(unit, { maxLength: 12 }).map((units) => units.join(''));

test('cleaned JSON parses to the cleaned value for any strings', () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      anyText,
      fc.integer(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(anyText, tie('value'), { maxKeys: 1 }),
    ),
  })).value;
  fc.assert(
    fc.property(value, (input) => {
      expect(parseJson(JSON.stringify(input))).toEqual(cleanValue(input));
      expect(cleanValue(cleanValue(input))).toEqual(cleanValue(input));
    }),
  );
});

test('cleaned text is well-formed and contains no NUL', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const clean = cleanText(text);
      expect(clean.isWellFormed()).toBe(true);
      expect(clean).not.toContain('\0');
    }),
  );
});

test('JSON without invalid characters is unchanged, even with an escaped backslash before u0000', () => {
  for (const json of ['{"a":"😀 \\ud83d\\ude00"}', '{"a":"\\\\u0000 \\\\ud83d"}'])
    expect(cleanJson(json)).toBe(json);
});

test('a name that becomes __proto__ when cleaned does not set a prototype', () => {
  const value = cleanValue(JSON.parse('{"__\\u0000proto__":{"isAdmin":true}}'));
  expect(Object.keys(value)).toEqual(['__proto__']);
  expect(value.isAdmin).toBeUndefined();
});

test('cleaning a form removes encoded NULs and preserves encoded percent signs', () => {
  expect([...parseForm('a=x%00y&b=%2500&c=%ED%A0%BD')]).toEqual([
    ['a', 'xy'],
    ['b', '%00'],
    ['c', '\ufffd\ufffd\ufffd'],
  ]);
});

test('truncating text never splits a character', () => {
  expect(cutText('a😀b', 2)).toBe('a');
  expect(cutText('a😀b', 3)).toBe('a😀');
});
