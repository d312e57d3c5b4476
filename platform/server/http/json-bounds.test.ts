// JSON bodies pass up to each bound and are refused beyond it.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkJsonBounds } from './json-bounds.ts';

const makeObject = (count: number, from = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${from + index}`, 1]));
const check = (body: unknown) => checkJsonBounds(JSON.stringify(body));

test('an object has at most 2,000 names, and a body at most 2,000 distinct names', () => {
  check(makeObject(2_000));
  expect(() => check(makeObject(2_001))).toThrow('invalid');
  const objects = (count: number) =>
    Array.from({ length: Math.ceil(count / 1_000) }, (_, index) =>
      makeObject(Math.min(1_000, count - index * 1_000), index * 1_000),
    );
  check(objects(2_000));
  expect(() => check(objects(2_001))).toThrow('invalid');
  expect(() => checkJsonBounds(`{${'"a":1,'.repeat(2_001)}"a":1}`)).toThrow('invalid');
});

test('rows with the same names are limited only by the number of their values', () => {
  check(Array.from({ length: 11_000 }, () => makeObject(20)));
  expect(() => check(Array.from({ length: 13_000 }, () => makeObject(20)))).toThrow('invalid');
  // Values are not counted as names, and each object may have 2,000 names.
  check(Array.from({ length: 20_000 }, (_, index) => `value ${index}`));
  check(Array.from({ length: 60 }, () => makeObject(2_000)));
});

test('names that contain escaped quotation marks or are followed by white space are recognized', () => {
  const pairs = (count: number) =>
    Array.from({ length: count }, (_, index) => `"a\\"${index}" \n\t: "x: y"`).join(' , ');
  checkJsonBounds(`{${pairs(2_000)}}`);
  expect(() => checkJsonBounds(`{${pairs(2_001)}}`)).toThrow('invalid');
});

test('any small value passes, and malformed text is left to the parser', () => {
  fc.assert(fc.property(fc.json({ maxDepth: 10 }), (json) => checkJsonBounds(json)));
  fc.assert(fc.property(fc.string(), (text) => checkJsonBounds(text)));
});
