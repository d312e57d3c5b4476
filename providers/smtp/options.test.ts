// SMTP_URL is parsed in each accepted form; an invalid address causes an error message.
import { expect, test } from 'vitest';
import { parseSmtpUrl, SmtpUrlError } from './options.ts';

test.each([
  ['smtp://relay.example', { host: 'relay.example', port: 25, tls: 'opportunistic' }],
  ['smtp://127.0.0.1:1025', { host: '127.0.0.1', port: 1025, tls: 'opportunistic' }],
  ['smtp://[::1]:1025?tls=none', { host: '::1', port: 1025, tls: 'none' }],
  ['smtps://relay.example', { port: 465, tls: 'implicit' }],
  ['smtp://u:p@relay.example', { port: 587, tls: 'required', user: 'u', password: 'p' }],
  ['smtp://u:p@localhost', { port: 587, tls: 'opportunistic' }],
  ['smtp://a%40b:p%2Fq%3A@r.example', { user: 'a@b', password: 'p/q:' }],
  [
    'smtp://r.example?connections=3&messages=50&rate=14',
    { connections: 3, messages: 50, rate: 14 },
  ],
  ['smtp://r.example?name=mail.shop.example', { name: 'mail.shop.example' }],
])('%s is parsed', (address, expected) => {
  expect(parseSmtpUrl(address)).toMatchObject(expected);
});

test.each([
  'relay.example:25',
  'http://relay.example',
  'smtp://',
  'smtp://relay.example?tls=none',
  'smtp://relay.example?tls=maybe',
  'smtps://relay.example?tls=opportunistic',
  'smtp://relay.example?connections=0',
  'smtp://relay.example?rate=fast',
  'smtp://relay.example?conections=3',
  'smtp://u:50%off@relay.example',
  'smtp://50%off:p@relay.example',
])('%s is refused with an error message', (address) => {
  expect(() => parseSmtpUrl(address)).toThrow(SmtpUrlError);
  expect(() => parseSmtpUrl(address)).toThrow(/^SMTP_URL/);
});

test.each([
  ['smtp://r.example?name=mail.shop.example', 'app.shop.example', 'mail.shop.example'],
  ['smtp://r.example', 'app.shop.example', 'app.shop.example'],
  ['smtp://r.example?name=container', 'app.shop.example', 'app.shop.example'],
  ['smtp://r.example', '203.0.113.5', '[203.0.113.5]'],
])('the EHLO name for the address %s and the host name %s is %s', (address, ownName, name) => {
  expect(parseSmtpUrl(address, {}, ownName).name).toBe(name);
});

test('the error never contains the password', () => {
  for (const address of [
    'smtp://u:hunter2@',
    'smtp://u:hunter2@r.example?tls=x',
    'smtp://u:hunter2%@r.example',
  ]) {
    let message = '';
    try {
      parseSmtpUrl(address);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('SMTP_URL');
    expect(message).not.toContain('hunter2');
  }
});
