// DKIM: an independent verifier accepts signatures of rendered messages for any values.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { describe, expect, it } from 'vitest';
import { compileMessage } from './compile-message.ts';
import { createSigner, type DkimKey } from './dkim.ts';
import { createRenderMoment, render } from './render.ts';
import { sampleSource } from '../sample-source.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed25519Keys = generateKeyPairSync('ed25519');
const now = new Date();
const keys: DkimKey[] = [
  { domain: 'tea.example', selector: 'sl1', key: rsa.privateKey },
  { domain: 'tea.example', selector: 'sl2', key: ed25519Keys.privateKey },
];

/** Returns the DNS records of the DKIM keys of tea.example. */
async function resolver(name: string): Promise<string[][]> {
  const record = (key: KeyObject, type: string, cutLength: number) =>
    `v=DKIM1; k=${type}; p=${key.export({ type: 'spki', format: 'der' }).subarray(cutLength).toString('base64')}`;
  if (name === 'sl1._domainkey.tea.example') return [[record(rsa.publicKey, 'rsa', 0)]];
  if (name === 'sl2._domainkey.tea.example')
    return [[record(ed25519Keys.publicKey, 'ed25519', 12)]];
  throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
}

const compiled = compileMessage(sampleSource({ preheader: 'To {{lastname}}' }));
const signer = createSigner(keys);
const buffer = Buffer.alloc(200_000);

function signMessage(firstname: string, lastname: string, message = compiled): Buffer {
  const recipient = {
    email: 'ada@example.com',
    token: 'T'.repeat(40),
    message_token: 'M'.repeat(40),
    values: { firstname, lastname },
  };
  const end = render(message, recipient, createRenderMoment(now, 'en'), buffer, signer.length);
  signer.sign(buffer, 0, end, now);
  return buffer.subarray(0, end);
}

async function results(message: Buffer): Promise<string[]> {
  const verification = await dkimVerify(Buffer.from(message), { resolver });
  return verification.results.map((result) => `${result.algo} ${result.status.result}`);
}

describe('a DKIM signature', () => {
  it('verifies for RSA and Ed25519 with any values', async () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc
        .array(
          fc.constantFrom(
            '.',
            ' ',
            '\t',
            '\r\n',
            '\n',
            '=',
            'é',
            'From ',
            '\r\n.\r\n',
            'x'.repeat(76),
          ),
        )
        .map((list) => list.join('')),
    );
    await fc.assert(
      fc.asyncProperty(value, value, async (firstname, lastname) => {
        const verification = await results(signMessage(firstname, lastname));
        expect(verification).toEqual(['rsa-sha256 pass', 'ed25519-sha256 pass']);
      }),
      { numRuns: 30 },
    );
  });

  it('verifies for each transfer encoding', async () => {
    const sentence = 'برگ‌های تازه از کوهستان رسیده است. ';
    const persian = compileMessage(
      sampleSource({
        html: `<p>${sentence.repeat(20)}{{firstname}}</p>{{lastname}}`,
        text: `${sentence.repeat(10)} {{firstname}}`,
      }),
    );
    const plainMessage = compileMessage(
      sampleSource({ subject: 'Hello', html: '<p>Hello</p>', text: 'Hello = you' }),
    );
    for (const value of ['', 'a', 'ab', 'Ab\r\nc', 'سارا', '😀', '\ud800', 'x'.repeat(5000)]) {
      for (const message of [persian, plainMessage]) {
        const verification = await results(signMessage(value, value, message));
        expect(verification).toEqual(['rsa-sha256 pass', 'ed25519-sha256 pass']);
      }
    }
    const text = Buffer.from(signMessage('a', 'b', persian)).toString('latin1');
    expect(text.match(/Encoding: base64/g)).toHaveLength(2);
    expect(Buffer.from(signMessage('a', 'b', plainMessage)).toString('latin1')).toContain(
      'Encoding: 7bit',
    );
  });

  it('covers the https unsubscribe headers if there is no mailbox', async () => {
    const alone = compileMessage(sampleSource({ unsubscribe_mailbox: '' }));
    const message = signMessage('Ada', 'Byron', alone).toString('latin1');
    expect(message).toMatch(/^List-Unsubscribe: <https:[^<>]+>\r\nList-Unsubscribe-Post: /m);
    const expectedResults = ['rsa-sha256 pass', 'ed25519-sha256 pass'];
    expect(await results(Buffer.from(message, 'latin1'))).toEqual(expectedResults);
    for (const [from, to] of [
      ['List-Unsubscribe: <https:', 'List-Unsubscribe: <http:'],
      ['=One-Click', '=No-Click'],
    ] as const) {
      const verification = await results(Buffer.from(message.replace(from, to), 'latin1'));
      expect(verification.filter((result) => result.endsWith('pass'))).toEqual([]);
    }
  });

  it('a signature computed on another thread is the same, and the buffer can be reused immediately', async () => {
    const signedMessage = Buffer.from(signMessage('Ada', 'Byron'));
    const unsignedMessage = Buffer.from(signedMessage.subarray(signer.length));
    const ahead = signer.signOnThread(unsignedMessage, 0, unsignedMessage.length, now);
    unsignedMessage.fill(0);
    expect(await ahead).toBe(signedMessage.toString('latin1', 0, signer.length));
  });

  it('fails after a header or the body is changed, and after a signed header is added', async () => {
    const message = signMessage('Ada', 'Byron').toString('latin1');
    const tamperedMessages = [
      message.replace('Hello Ada', 'Hello Eve'),
      message.replace('Unsubscribe', 'Unsubscribf'),
      message.replace('List-Unsubscribe-Post: ', 'List-Unsubscribe-Post: x'),
      message.replace('\r\nSubject:', '\r\nFrom: <eve@evil.example>\r\nSubject:'),
      ...['Subject: Win', 'To: <eve@evil.example>', 'Reply-To: <eve@evil.example>'].map(
        (field) => `${field}\r\n${message}`,
      ),
      `Content-Type: text/plain\r\n${message}`,
      `List-Unsubscribe: <https://evil.example/leave>\r\n${message}`,
      `List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n${message}`,
    ];
    for (const variant of tamperedMessages) {
      expect(variant).not.toBe(message);
      const verification = await results(Buffer.from(variant, 'latin1'));
      expect(verification.filter((result) => result.endsWith('pass'))).toEqual([]);
    }
  });

  it("expires after a week, so that old messages cannot be replayed in the sender's name", async () => {
    const message = signMessage('Ada', 'Byron');
    const [, from = 0, until = 0] = (
      / t=(\d+); x=(\d+);/.exec(message.toString('latin1')) ?? []
    ).map(Number);
    expect(until - from).toBe(7 * 86_400);
    expect(from).toBe(Math.floor(now.getTime() / 1000));
    const verifyAt = async (seconds: number) => {
      const verification = await dkimVerify(Buffer.from(message), {
        resolver,
        curTime: new Date((from + seconds) * 1000),
      });
      return verification.results.map((result) => result.status.result);
    };
    expect(await verifyAt(7 * 86_400 - 60)).toEqual(['pass', 'pass']);
    expect(await verifyAt(7 * 86_400 + 60)).not.toContain('pass');
  });

  it('verifies behind a relay that rewrites Date and Message-ID, such as Amazon SES', async () => {
    const message = signMessage('Ada', 'Byron').toString('latin1');
    const resent = message
      .replace(/^Date: .*$/m, 'Date: Thu, 1 Jan 2026 00:00:00 +0000')
      .replace(/^Message-ID: .*$/m, 'Message-ID: <0100-1@email.amazonses.com>');
    expect(resent).not.toContain('M'.repeat(40));
    const verification = await results(
      Buffer.from(`Feedback-ID: ::1.eu-north-1\r\n${resent}`, 'latin1'),
    );
    expect(verification).toEqual(['rsa-sha256 pass', 'ed25519-sha256 pass']);
  });

  it('requires a key that receivers support', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(() => createSigner([{ domain: 'a.example', selector: 's', key: privateKey }])).toThrow(
      TypeError,
    );
  });
});
