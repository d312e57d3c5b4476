// Tests the inbox as a mail server, an API and a page.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import fc from 'fast-check';
import { createTransport } from 'nodemailer';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addErrorResponses } from '#platform/server/http/errors.ts';
import { openSmtpRelay, parseSmtpUrl } from '#providers/smtp/index.ts';
import { createMessage, createMessages, QueueSource } from '#testing/servers/queue-source.ts';
import { type Inbox, inboxRoutes, startInbox } from './index.ts';

let folder: string;
let inbox: Inbox;
let app: FastifyInstance;
const logLines: string[] = [];
const failures: string[] = [];
const log = {
  info: (message: string) => logLines.push(message),
  error: (message: string) => failures.push(message),
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inbox-'));
  logLines.length = 0;
  failures.length = 0;
  inbox = await startInbox({ dataDir: folder, port: 0, log });
  app = fastify();
  addErrorResponses(app);
  await app.register(inboxRoutes(inbox));
});

afterEach(async () => {
  await app.close();
  await inbox.close();
  rmSync(folder, { recursive: true });
});

async function getUrl(url: string, headers: Record<string, string> = {}) {
  return await app.inject({ url, headers: { host: 'localhost:3000', ...headers } });
}

async function send(message: Parameters<ReturnType<typeof createTransport>['sendMail']>[0]) {
  const transport = createTransport({ host: '127.0.0.1', port: inbox.port, secure: false });
  await transport.sendMail({ from: 'Ada <ada@example.com>', to: 'bo@example.net', ...message });
  transport.close();
}

describe('the inbox as a mail server', () => {
  test('stores each message from our relay exactly once', async () => {
    const source = new QueueSource();
    const relay = openSmtpRelay(parseSmtpUrl(`${inbox.url}&connections=5`), source);
    source.relay = relay;
    source.add(...createMessages(500));
    const results = await source.waitForResults(500);
    expect(results.every((result) => result.outcome === 'accepted')).toBe(true);
    await relay.close();
    const { messages, total } = inbox.store.list({ limit: 1_000, offset: 0 });
    expect(total).toBe(500);
    expect(new Set(messages.map((message) => message.to)).size).toBe(500);
  });

  test('a message accepted with 250 is found at the next startup, even without a shutdown', async () => {
    const source = new QueueSource();
    const relay = openSmtpRelay(parseSmtpUrl(inbox.url), source);
    source.relay = relay;
    source.add(createMessage(1));
    await source.waitForResults(1);
    const second = await startInbox({ dataDir: folder, port: 0, log });
    expect(second.store.total).toBe(1);
    await second.close();
    await relay.close();
  });

  test('stores the same messages regardless of where the bytes are split', async () => {
    const bodies = ['', '.', '..\r\n.\r\nx', 'a\r\n.b\r\n', '\r\n.', 'plain\r\n', '.\r\n.\r\n'];
    const stuffedBodies = bodies.map((body) => body.replace(/^\./gm, '..'));
    const commands = stuffedBodies
      .map((body) => {
        const end = body === '' || body.endsWith('\r\n') ? '.\r\n' : '\r\n.\r\n';
        return `MAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\nDATA\r\n${body}${end}`;
      })
      .join('');
    const wire = Buffer.from(`EHLO x\r\n${commands}DATA\r\nQUIT\r\n`);
    const expectedBodies = bodies.map((body) =>
      body === '' || body.endsWith('\r\n') ? body : `${body}\r\n`,
    );
    const count = bodies.length;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(wire.length), { maxLength: 40 }), async (cuts) => {
        const totalBefore = inbox.store.total;
        const replies = await sendBytes(cutAt(wire, cuts));
        expect(replies.match(/^250 2\.0\.0 Ok: in the inbox/gm)).toHaveLength(count);
        expect(replies).toContain('503 ');
        const { messages } = inbox.store.list({ limit: count, offset: 0 });
        expect(inbox.store.total - totalBefore).toBe(count);
        const storedSources = messages
          .toReversed()
          .map(({ id }) => inbox.store.source(id)?.toString());
        expect(storedSources).toEqual(expectedBodies);
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });

  test('stores a message that arrives byte by byte', async () => {
    const wire = Buffer.from(
      'HELO x\r\nMAIL FROM:<>\r\nRCPT TO:<c@d.example>\r\nDATA\r\n\r\n..\r\n.\r\nQUIT\r\n',
    );
    await sendBytes([...wire].map((byte) => Buffer.from([byte])));
    expect(inbox.store.source(1)?.toString()).toBe('\r\n.\r\n');
  });

  test('refuses malformed or out-of-order commands and continues the session', async () => {
    const lines = [
      'helo x',
      'RCPT TO:<a@b.example>',
      'MAIL FROM:a@b.example',
      'DATA',
      'MAIL FROM:<a@b.example> SIZE=10',
      'MAIL FROM:<a@b.example>',
      'RCPT TO:<>',
      'DATA',
      'XYZ x',
      'RSET',
      'NOOP',
      'quit',
    ];
    const replies = await sendBytes([Buffer.from(`${lines.join('\r\n')}\r\n`)]);
    const codes = replies
      .trim()
      .split('\r\n')
      .map((line) => line.slice(0, 3));
    expect(codes).toEqual('220 250 503 501 503 250 503 501 503 500 250 250 221'.split(' '));
  });

  test('refuses a message above the size limit and recipients above the maximum number', async () => {
    const envelope = 'EHLO x\r\nMAIL FROM:<a@b.c>\r\n';
    const manyRecipients = Array.from({ length: 1_001 }, (_, i) => `RCPT TO:<p${i}@d.e>\r\n`).join(
      '',
    );
    expect(await sendBytes([Buffer.from(`${envelope}${manyRecipients}QUIT\r\n`)])).toMatch(
      /^452 /m,
    );
    const line = Buffer.alloc(1_000_000, `${'x'.repeat(998)}\r\n`);
    const largeEmail = [
      Buffer.from(`${envelope}RCPT TO:<c@d.e>\r\nDATA\r\n`),
      ...Array.from({ length: 51 }, () => line),
      Buffer.from('.\r\nQUIT\r\n'),
    ];
    expect(await sendBytes(largeEmail)).toMatch(/^552 /m);
    expect(inbox.store.total).toBe(0);
  });

  test('a message is not stored if the connection is lost before its end', async () => {
    const wire = 'HELO x\r\nMAIL FROM:<a@b.c>\r\nRCPT TO:<c@d.e>\r\nDATA\r\nSubject: half';
    await sendBytes([Buffer.from(wire)], 'end');
    expect(inbox.store.total).toBe(0);
    expect(failures).toEqual([]);
  });

  test('a connected client does not delay shutdown', async () => {
    const socket = connect(inbox.port, '127.0.0.1');
    await once(socket, 'data');
    const closing = once(socket.resume(), 'close');
    const startedAt = performance.now();
    await inbox.close();
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    await closing;
    inbox = await startInbox({ dataDir: folder, port: 0, log });
  });

  test('an overlong line ends the session', async () => {
    expect(await sendBytes([Buffer.alloc(20_000, 'x')])).toMatch(/^421 .*too long/m);
  });

  test('replies 452 while the disk is full, then stores the next message', async () => {
    const { store } = inbox;
    const append = store.append.bind(store);
    store.append = () => {
      throw new Error('ENOSPC');
    };
    const wire = Buffer.from(
      'HELO x\r\nMAIL FROM:<a@b.c>\r\nRCPT TO:<c@d.e>\r\nDATA\r\nx\r\n.\r\nQUIT\r\n',
    );
    expect(await sendBytes([wire])).toContain('452 4.3.1');
    store.append = append;
    expect(await sendBytes([wire])).toContain('250 2.0.0 Ok: in the inbox');
    expect(store.total).toBe(1);
  });

  test('does not start if the configured port is in use; without a configured port, it uses a free port and logs it', async () => {
    const conflictingInbox = startInbox({ dataDir: join(folder, 'other'), port: inbox.port, log });
    await expect(conflictingInbox).rejects.toThrow(`INBOX_SMTP_PORT ${inbox.port} is in use`);
    const blocker = createServer();
    await new Promise<void>((resolve) => {
      blocker.once('error', () => resolve());
      blocker.listen(1025, '127.0.0.1', resolve);
    });
    mkdirSync(join(folder, 'third'));
    const otherInbox = await startInbox({ dataDir: join(folder, 'third'), log });
    expect(otherInbox.port).not.toBe(1025);
    expect(logLines.join()).toContain(`listens on ${otherInbox.port} instead`);
    await otherInbox.close();
    await new Promise((resolve) => blocker.close(resolve));
  });

  /** Sends the chunks one by one and returns all replies; `ending` closes the connection. */
  async function sendBytes(chunks: Buffer[], ending?: 'end'): Promise<string> {
    const socket: Socket = connect(inbox.port, '127.0.0.1');
    socket.setNoDelay(true);
    let replies = '';
    socket.on('data', (bytes) => {
      replies += bytes.toString();
    });
    const closing = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {});
    // The inbox refuses a client that sends before the greeting.
    await once(socket, 'data');
    for (const chunk of chunks) {
      socket.write(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (ending) socket.end();
    await closing;
    return replies;
  }

  function cutAt(wire: Buffer, cuts: number[]): Buffer[] {
    const boundaries = [0, ...cuts, wire.length].toSorted((a, b) => a - b);
    return boundaries.slice(1).map((end, at) => wire.subarray(boundaries[at], end));
  }
});

describe('the inbox as an API', () => {
  test('lists messages newest first, with decoded subjects, in pages', async () => {
    await send({ subject: 'Žalias rytas', text: 'a' });
    await send({ subject: 'Second', to: 'cy@example.net', text: 'b' });
    const list = (await getUrl('/inbox/api/messages')).json();
    expect(list).toMatchObject({ total: 2, limit: 50, offset: 0 });
    expect(list.data[1]).toMatchObject({
      id: '1',
      from: 'Ada <ada@example.com>',
      to: 'bo@example.net',
      subject: 'Žalias rytas',
    });
    expect(new Date(list.data[1].received_at).toISOString()).toBe(list.data[1].received_at);
    const page = (await getUrl('/inbox/api/messages?limit=1&offset=1')).json();
    expect(page.data.map((message: { id: string }) => message.id)).toEqual(['1']);
    expect((await getUrl('/inbox/api/messages?to=cy@example.net')).json().total).toBe(1);
    expect((await getUrl('/inbox/api/messages?subject=rytas')).json().total).toBe(1);
    expect((await getUrl('/inbox/api/messages?subject=rytas&to=cy@example.net')).json().total).toBe(
      0,
    );
    expect((await getUrl('/inbox/api/messages?limit=x&offset=-1')).json()).toMatchObject({
      limit: 50,
    });
  });

  test('returns the source unchanged', async () => {
    await send({ subject: 'One', text: 'Hello\n.dot', headers: { 'X-Test': 'yes' } });
    const source = await getUrl('/inbox/api/messages/1');
    expect(source.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(source.body).toMatch(/^X-Test: yes\r\n/m);
    expect(source.body).toMatch(/^\.dot\r\n/m);
    const json = await getUrl('/inbox/api/messages/1', { accept: 'application/json' });
    expect(json.json().data).toMatchObject({ id: '1', source: source.body });
    for (const id of ['2', '0', '-1', 'x', '99999999999999999999']) {
      expect((await getUrl(`/inbox/api/messages/${id}`)).statusCode).toBe(404);
    }
  });

  test.each(['/inbox', '/inbox/api/messages', '/inbox/files/inbox.css'])(
    '%s responds only to this machine',
    async (url) => {
      const hosts = ['localhost:3000', '127.0.0.1', '[::1]:3000', 'app.localhost'];
      for (const host of hosts) {
        expect((await getUrl(url, { host })).statusCode).toBe(200);
      }
      for (const host of ['example.com', 'localhost.example.com', '192.168.1.5:3000']) {
        expect((await getUrl(url, { host })).statusCode).toBe(404);
      }
      const remoteAddress = '192.168.1.7';
      const forwardedHeaders = { host: 'localhost', 'x-forwarded-for': '127.0.0.1' };
      const far = await app.inject({ url, headers: forwardedHeaders, remoteAddress });
      expect(far.statusCode).toBe(404);
    },
  );
});

describe('the inbox as a page', () => {
  test('lists and searches messages, and explains the inbox in the visitor’s language', async () => {
    expect((await getUrl('/inbox')).body).toContain('No messages yet');
    await send({ subject: '<b>Sale</b> & more', text: 'x' });
    const page = (await getUrl('/inbox')).body;
    expect(page).toContain('&lt;b&gt;Sale&lt;/b&gt; &amp; more');
    expect(page).not.toContain('<b>Sale');
    expect(page).toContain('200,000');
    expect(page).toContain(`127.0.0.1:${inbox.port}`);
    expect((await getUrl('/inbox?q=nothing%22%3E')).body).toContain('No message matches');
    const persian = (await getUrl('/inbox', { 'accept-language': 'fa-IR,fa;q=0.9' })).body;
    expect(persian).toContain('<html lang="fa" dir="rtl">');
    expect(persian).toContain('صندوق ورودی');
  });

  test('shows each part of a message', async () => {
    const image = Buffer.from('89504e470d0a1a0a', 'hex');
    await send({
      subject: 'Parts',
      text: 'plain words',
      html: '<html><head><title>x</title></head><body><img src="cid:pic@x"><script>alert(1)</script></body></html>',
      attachments: [
        { filename: 'pic.png', content: image, cid: 'pic@x' },
        { filename: 'naïve "file".txt', content: 'attached' },
      ],
    });
    const page = (await getUrl('/inbox/messages/1')).body;
    expect(page).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"');
    expect(page).toContain('naïve &quot;file&quot;.txt');
    expect((await getUrl('/inbox/messages/1?view=text')).body).toContain('plain words');
    expect((await getUrl('/inbox/messages/1?view=headers')).body).toContain('Message-ID');
    expect((await getUrl('/inbox/messages/1?view=source')).body).toContain('&lt;script&gt;');
    const htmlPage = await getUrl('/inbox/messages/1/html');
    expect(htmlPage.headers['content-security-policy']).toContain("default-src 'none'");
    expect(htmlPage.headers['content-security-policy']).toContain('sandbox allow-popups');
    expect(htmlPage.body).toContain('<head><base target="_blank">');
    expect(htmlPage.body).toContain(`src="data:image/png;base64,${image.toString('base64')}"`);
    const file = await getUrl('/inbox/messages/1/attachments/1');
    expect(file.body).toBe('attached');
    expect(file.headers['content-disposition']).toContain('attachment;');
    expect((await getUrl('/inbox/messages/1/attachments/7')).statusCode).toBe(404);
    expect((await getUrl('/inbox/messages/2')).statusCode).toBe(404);
  });

  test('shows a malformed message', async () => {
    const source = new QueueSource();
    const relay = openSmtpRelay(parseSmtpUrl(inbox.url), source);
    source.relay = relay;
    source.add(createMessage(1, '\u0000\u0001 binary ÿ'.repeat(10)));
    await source.waitForResults(1);
    await relay.close();
    for (const view of ['html', 'text', 'source', 'headers']) {
      expect((await getUrl(`/inbox/messages/1?view=${view}`)).statusCode).toBe(200);
    }
  });
});
