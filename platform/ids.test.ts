// An external ID is valid for its own kind only and is identical to the Sqids library's ID.
import fc from 'fast-check';
import Sqids from 'sqids';
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

test('every ID kind has a unique number', () => {
  const byNumber = Map.groupBy(kinds, (kind) => KINDS[kind]);
  expect([...byNumber.values()].filter((same) => same.length > 1)).toEqual([]);
});

test('an ID is decoded only as its own kind', () => {
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

test('IDs match those of the Sqids library, even where it avoids an offensive word', () => {
  const alphabet = 'kRz6N1tVbWqGZd8XeMyJ4fL9sCpHa3TgnQ5wKvD7hBxmjPr2cYSFuU';
  const [library, unfiltered] = [undefined, new Set<string>()].map(
    (blocklist) => new Sqids({ alphabet, minLength: 6, ...(blocklist && { blocklist }) }),
  ) as [Sqids, Sqids];
  const number = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(fc.constantFrom(...kinds), number, number, (kind, accountId, id) => {
      expect(encodeId(kind, id)).toBe(library.encode([KINDS[kind], id]));
      const rawId = library.encode([KINDS[kind], accountId, id]);
      expect(encodePublicId(kind, accountId, id)).toBe(rawId);
    }),
    { numRuns: 500 },
  );
  // IDs of small numbers are padded to the minimum length.
  for (let id = 0; id < 3_000; id++)
    expect(encodeId('subscriber', id)).toBe(library.encode([KINDS.subscriber, id]));
  for (const [kind, id] of [
    ['subscriber', 13_059],
    ['subscriber', 30_220],
    ['campaign', 18_892],
    ['group', 28_153],
    ['group', 32_267],
  ] as const) {
    const encodedId = encodeId(kind, id);
    expect(encodedId).not.toBe(unfiltered.encode([KINDS[kind], id]));
    expect([encodedId, decodeId(kind, encodedId)]).toEqual([library.encode([KINDS[kind], id]), id]);
  }
});
