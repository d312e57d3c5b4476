// Guarantees of tracking tokens: a token decodes to its payload, and no other text is accepted.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOKEN_LENGTH, type TokenPayload, createTokens } from './token.ts';

const tokens = createTokens('a secret of this installation');
const id = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const anyPayload: fc.Arbitrary<TokenPayload> = fc.record({
  account: id,
  message: id,
  subscriber: id,
  ordinal: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
});
const payload: TokenPayload = { account: 7, message: 42, subscriber: 1_000_000, ordinal: 3 };

describe('tracking token', () => {
  it('a token decodes to its payload and has a fixed length', () => {
    fc.assert(
      fc.property(fc.array(anyPayload, { maxLength: 30 }), (list) => {
        const [tokenList = []] = tokens.makeMany(list);
        expect(tokenList.every((token) => /^[A-Za-z0-9_-]+$/.test(token))).toBe(true);
        expect(tokenList.every((token) => token.length === TOKEN_LENGTH)).toBe(true);
        expect(tokens.readMany(tokenList)).toEqual(list);
        expect(list.map((item) => tokens.make(item))).toEqual(tokenList);
      }),
    );
  });

  it('tokens computed together for several purposes match tokens computed separately', () => {
    const purposes = ['bounce', 'link', 'messageId'] as const;
    const list = [payload, { ...payload, subscriber: 8 }, { ...payload, account: 2 ** 40 }];
    const tokenLists = tokens.makeMany(list, purposes);
    purposes.forEach((purpose, i) => {
      expect(tokenLists[i]).toEqual(list.map((item) => tokens.make(item, purpose)));
      expect(tokens.readMany(tokenLists[i] ?? [], purpose)).toEqual(list);
    });
    expect(tokens.makeMany([], purposes)).toEqual([[], [], []]);
  });

  it('a token is the same after a restart and is refused under another secret', () => {
    expect(createTokens('a secret of this installation').make(payload)).toBe(tokens.make(payload));
    expect(createTokens('another').read(tokens.make(payload))).toBeUndefined();
  });

  it('a token with any single bit changed is refused', () => {
    const raw = Buffer.from(tokens.make(payload), 'base64url');
    for (let bit = 0; bit < raw.length * 8; bit++) {
      const tampered = Buffer.from(raw);
      tampered[bit >> 3] = (tampered[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(tokens.read(tampered.toString('base64url'))).toBeUndefined();
    }
  });

  it('a truncated, extended, respelled or spliced token is refused', () => {
    const token = tokens.make(payload);
    const otherToken = tokens.make({ ...payload, subscriber: 9 });
    const wrongTokens = [
      '',
      token.slice(0, -1),
      token.slice(1),
      `${token}A`,
      `${token} `,
      `${token}\n`,
      ` ${token.slice(1)}`,
      token.slice(0, 28) + otherToken.slice(28),
      token.slice(0, 24) + otherToken.slice(24),
      'A'.repeat(40),
      '_'.repeat(40),
      'é'.repeat(40),
    ];
    for (const text of wrongTokens) expect(tokens.read(text)).toBeUndefined();
    expect(tokens.readMany([token, 'x', otherToken])).toEqual([
      payload,
      undefined,
      { ...payload, subscriber: 9 },
    ]);
  });

  it('a token is refused for every other purpose', () => {
    expect(tokens.read(tokens.make(payload, 'messageId'), 'messageId')).toEqual(payload);
    expect(tokens.read(tokens.make(payload, 'messageId'))).toBeUndefined();
    expect(tokens.read(tokens.make(payload), 'bounce')).toBeUndefined();
  });

  it('arbitrary text is never accepted as a token', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[\w-]{40}$/)),
        (text) => {
          expect(tokens.read(text)).toBeUndefined();
        },
      ),
    );
  });

  it('out-of-range numbers are refused rather than truncated', () => {
    expect(() => tokens.make({ ...payload, subscriber: 2 ** 48 })).toThrow(RangeError);
    expect(() => tokens.make({ ...payload, ordinal: 2 ** 32 })).toThrow(RangeError);
    expect(() => tokens.make({ ...payload, account: -1 })).toThrow(RangeError);
    expect(() => tokens.make({ ...payload, message: 1.5 })).toThrow(RangeError);
  });
});
