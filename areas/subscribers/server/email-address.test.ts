// Email addresses: accepted forms, and refusals with reasons.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEmail } from './email-address.ts';

describe('parseEmail', () => {
  it.each([
    ['Ada@Example.COM', 'Ada@example.com', 'ada@example.com'],
    [' ada@example.com\u00a0', 'ada@example.com', 'ada@example.com'],
    ['Ada Lovelace <ada@example.com>', 'ada@example.com', 'ada@example.com'],
    ['mailto:ada@example.com?subject=hi', 'ada@example.com', 'ada@example.com'],
    ['post@blåbær.no', 'post@xn--blbr-roah.no', 'post@xn--blbr-roah.no'],
    ['Grüße@Beispiel.example', 'Grüße@beispiel.example', 'grüße@beispiel.example'],
    ['Gru\u0308ße@beispiel.example', 'Grüße@beispiel.example', 'grüße@beispiel.example'],
    ['用户@例子.example', '用户@xn--fsqu00a.example', '用户@xn--fsqu00a.example'],
    [
      'иван.петров@пример.example',
      'иван.петров@xn--e1afmkfd.example',
      'иван.петров@xn--e1afmkfd.example',
    ],
    ['علی۱@example.com', 'علی۱@example.com', 'علی۱@example.com'],
    [
      "o'neil+list@sub.example.co.uk",
      "o'neil+list@sub.example.co.uk",
      "o'neil+list@sub.example.co.uk",
    ],
  ])('reads %s', (text, email, key) => {
    expect(parseEmail(text)).toEqual({ email, key });
  });

  it.each([
    ['ada.example.com', 'email_missing_at'],
    ['', 'email_missing_at'],
    ['a@b@example.com', 'email_invalid'],
    ['.ada@example.com', 'email_invalid'],
    ['ada lovelace@example.com', 'email_invalid'],
    ['адa@example.com', 'email_invalid'],
    ['ada@localhost', 'email_domain_invalid'],
    ['ada@-example.com', 'email_domain_invalid'],
    ['ada@exa_mple.com', 'email_domain_invalid'],
    ['ada@example.c', 'email_domain_invalid'],
    ['ada@[127.0.0.1]', 'email_domain_invalid'],
    ['ada@example.com\r\nBcc: x@example.com', 'email_invalid'],
    ['ada@example.com\r\nBcc:', 'email_domain_invalid'],
    ['ad\u200ba@example.com', 'email_invalid'],
    ['😀@example.com', 'email_invalid'],
    [`${'ü'.repeat(33)}@example.com`, 'email_too_long'],
    [`${'a'.repeat(65)}@example.com`, 'email_too_long'],
    [`${'a'.repeat(60)}@${`${'b'.repeat(60)}.`.repeat(4)}com`, 'email_too_long'],
    [`a@${'b'.repeat(64)}.com`, 'email_domain_invalid'],
  ])('refuses %s', (text, fault) => {
    expect(parseEmail(text)).toBe(fault);
  });

  it('parseEmail remains fast on input with many blanks', () => {
    const startedAt = performance.now();
    expect(parseEmail(`a${' '.repeat(200_000)}a@b.cc`)).toBe('email_invalid');
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });

  it('never throws, and an accepted address parses to itself', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.emailAddress()), (text) => {
        const result = parseEmail(text);
        if (typeof result === 'string') return;
        expect(result.email).toMatch(/^[^\s\p{C}<>,;"()]{1,64}@[\x21-\x7e]{4,252}$/u);
        expect(parseEmail(result.email)).toEqual(result);
        expect(result.key).toBe(result.email.toLowerCase());
      }),
      { numRuns: 2000 },
    );
  });
});
