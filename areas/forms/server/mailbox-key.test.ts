// Spellings of one mailbox, and similar addresses of different mailboxes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toMailboxKey } from './mailbox-key.ts';

test.each([
  ['ann.lee@gmail.com', 'AnnLee+wheel@googlemail.com'],
  ['a.n.n@gmail.com', 'ann+1+2@gmail.com'],
  ['ann@shop.example', 'Ann+spin@SHOP.example'],
  ['ann_lee@proton.me', 'ann.lee@protonmail.com'],
  ['ann-lee@pm.me', 'annlee@proton.me'],
  ['ann.lee@yandex.ru', 'ann-lee@ya.ru'],
  ['ann@yandex.com', 'ann+x@yandex.kz'],
  ['ann@yahoo.com', 'ann-shop7@yahoo.com'],
  ['ann@ymail.com', 'ann-x@ymail.com'],
  ['ann@me.com', 'ann+tea@icloud.com'],
  ['ann@fastmail.com', 'wheel@ann.fastmail.com'],
  ['ann@outlook.com', 'ann+2@outlook.com'],
  ['ann@blåbær.no', 'ANN@xn--blbr-roah.no'],
])('%s and %s share a mailbox', (a, b) => {
  expect(toMailboxKey(a)).toBe(toMailboxKey(b));
});

test.each([
  ['ann.lee@shop.example', 'annlee@shop.example'],
  ['ann@gmail.com', 'ann@gmail.example'],
  ['ann-lee@gmail.com', 'ann@gmail.com'],
  ['ann-lee@outlook.com', 'ann@outlook.com'],
  ['ann@hotmail.com', 'ann@outlook.com'],
  ['ann@yahoo.com', 'ann@yahoo.de'],
  ['+37061234567', '+37061234568'],
  ['+a@shop.example', '+b@shop.example'],
])('%s and %s are two mailboxes', (a, b) => {
  expect(toMailboxKey(a)).not.toBe(toMailboxKey(b));
});

test('toMailboxKey is idempotent and ignores address tags', () => {
  const name = fc.stringMatching(/^[a-z]{1,8}(\.[a-z]{1,8})?$/);
  const domain = fc.constantFrom('gmail.com', 'proton.me', 'yahoo.com', 'shop.example');
  fc.assert(
    fc.property(name, fc.stringMatching(/^[a-z0-9]{1,8}$/), domain, (local, tag, host) => {
      const key = toMailboxKey(`${local}@${host}`);
      expect(toMailboxKey(key)).toBe(key);
      expect(toMailboxKey(`${local}+${tag}@${host}`.toUpperCase())).toBe(key);
    }),
  );
});
