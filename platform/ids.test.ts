// External ids: an id of one kind is not an id of another one.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeId,
  decodePublicId,
  encodeId,
  encodePublicId,
  isId,
  KINDS,
  type Kind,
} from './ids.ts';

const kinds = Object.keys(KINDS) as Kind[];

test('every kind has a number of its own', () => {
  const byNumber = Map.groupBy(kinds, (kind) => KINDS[kind]);
  expect([...byNumber.values()].filter((same) => same.length > 1)).toEqual([]);
});

test('an id is decoded by its own kind only', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...kinds),
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      fc.integer({ min: 1, max: 1_000_000 }),
      (kind, id, accountId) => {
        const [inner, open] = [encodeId(kind, id), encodePublicId(kind, accountId, id)];
        expect([isId(inner), isId(open)]).toEqual([true, true]);
        expect(kinds.filter((other) => decodeId(other, inner) !== undefined)).toEqual([kind]);
        expect(decodeId(kind, inner)).toBe(id);
        expect(kinds.filter((other) => decodePublicId(other, open))).toEqual([kind]);
        expect(decodePublicId(kind, open)).toEqual({ accountId, id });
      },
    ),
    { numRuns: 50 },
  );
});
