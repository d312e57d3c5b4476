// Guarantees of tracking tokens: a token decodes to its facts, and no other text is accepted.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOKEN_LENGTH, type TokenFacts, createTokens } from './token.ts';

const tokens = createTokens('a secret of this installation');
const id = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const anyFacts: fc.Arbitrary<TokenFacts> = fc.record({
  account: id,
  message: id,
  subscriber: id,
  ordinal: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
});
const facts: TokenFacts = { account: 7, message: 42, subscriber: 1_000_000, ordinal: 3 };

describe('tracking token', () => {
  it('a token decodes to its facts and has a fixed length', () => {
    fc.assert(
      fc.property(fc.array(anyFacts, { maxLength: 30 }), (list) => {
        const [made = []] = tokens.makeMany(list);
        expect(made.every((token) => /^[A-Za-z0-9_-]+$/.test(token))).toBe(true);
        expect(made.every((token) => token.length === TOKEN_LENGTH)).toBe(true);
        expect(tokens.readMany(made)).toEqual(list);
        expect(list.map((tokenFacts) => tokens.make(tokenFacts))).toEqual(made);
      }),
    );
  });

  it('tokens computed together for several purposes equal those computed one by one', () => {
    const purposes = ['bounce', 'link', 'messageId'] as const;
    const list = [facts, { ...facts, subscriber: 8 }, { ...facts, account: 2 ** 40 }];
    const made = tokens.makeMany(list, purposes);
    purposes.forEach((purpose, i) => {
      expect(made[i]).toEqual(list.map((tokenFacts) => tokens.make(tokenFacts, purpose)));
      expect(tokens.readMany(made[i] ?? [], purpose)).toEqual(list);
    });
    expect(tokens.makeMany([], purposes)).toEqual([[], [], []]);
  });

  it('a token is the same after a restart and is refused under another secret', () => {
    expect(createTokens('a secret of this installation').make(facts)).toBe(tokens.make(facts));
    expect(createTokens('another').read(tokens.make(facts))).toBeUndefined();
  });

  it('a token with any single bit changed is refused', () => {
    const raw = Buffer.from(tokens.make(facts), 'base64url');
    for (let bit = 0; bit < raw.length * 8; bit++) {
      const changed = Buffer.from(raw);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(tokens.read(changed.toString('base64url'))).toBeUndefined();
    }
  });

  it('a token that is cut, extended, respelled or combined from two is refused', () => {
    const token = tokens.make(facts);
    const other = tokens.make({ ...facts, subscriber: 9 });
    const wrong = [
      '',
      token.slice(0, -1),
      token.slice(1),
      `${token}A`,
      `${token} `,
      `${token}\n`,
      ` ${token.slice(1)}`,
      token.slice(0, 28) + other.slice(28),
      token.slice(0, 24) + other.slice(24),
      'A'.repeat(40),
      '_'.repeat(40),
      'é'.repeat(40),
    ];
    for (const text of wrong) expect(tokens.read(text)).toBeUndefined();
    expect(tokens.readMany([token, 'x', other])).toEqual([
      facts,
      undefined,
      { ...facts, subscriber: 9 },
    ]);
  });

  it('a token is refused for every other purpose', () => {
    expect(tokens.read(tokens.make(facts, 'messageId'), 'messageId')).toEqual(facts);
    expect(tokens.read(tokens.make(facts, 'messageId'))).toBeUndefined();
    expect(tokens.read(tokens.make(facts), 'bounce')).toBeUndefined();
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

  it('numbers that do not fit are refused rather than truncated', () => {
    expect(() => tokens.make({ ...facts, subscriber: 2 ** 48 })).toThrow(RangeError);
    expect(() => tokens.make({ ...facts, ordinal: 2 ** 32 })).toThrow(RangeError);
    expect(() => tokens.make({ ...facts, account: -1 })).toThrow(RangeError);
    expect(() => tokens.make({ ...facts, message: 1.5 })).toThrow(RangeError);
  });
});
