// Parsing of emailed reports as real systems write them, and of arbitrary input.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classifyCause, findCode, isHard } from './classification.ts';
import { readReport } from './report.ts';

const TOKEN = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_Ab';
const read = (text: string, isUnsubscribeBox = false) =>
  readReport(Buffer.from(text.replace(/\r?\n/g, '\r\n')), isUnsubscribeBox);

const POSTFIX = `Return-Path: <>
From: MAILER-DAEMON@relay.example (Mail Delivery System)
To: b+${TOKEN}@bounce.example
Subject: Undelivered Mail Returned to Sender
Auto-Submitted: auto-replied
Message-Id: <20260101.1@relay.example>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="B"

This is a MIME-encapsulated message.

--B
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

This is the mail system at host relay.example.
<ada@x.example>: host mx.x.example[192.0.2.1] said: 550 5.1.1 <ada@x.example>:
    Recipient address rejected: User unknown (in reply to RCPT TO command)

--B
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; relay.example
X-Postfix-Queue-ID: 4ABC
Arrival-Date: Thu,  1 Jan 2026 10:00:00 +0000 (UTC)

Final-Recipient: rfc822; ada@x.example
Original-Recipient: rfc822;ada@x.example
Action: failed
Status: 5.1.1
Remote-MTA: dns; mx.x.example
Diagnostic-Code: smtp; 550 5.1.1 <ada@x.example>: Recipient address rejected:
    User unknown

--B
Content-Description: Undelivered Message
Content-Type: message/rfc822

Message-ID: <${TOKEN}@shop.example>
Subject: Hello

Text
--B--
`;

const EXIM = `From: Mail Delivery System <Mailer-Daemon@mx.example>
To: b+${TOKEN}@bounce.example
X-Failed-Recipients: bob@y.example
Auto-Submitted: auto-replied
Subject: Mail delivery failed: returning message to sender

This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  bob@y.example
    host mx.y.example [192.0.2.7]
    SMTP error from remote mail server after RCPT TO:<bob@y.example>:
    552 5.2.2 Mailbox full

------ This is a copy of the message, including all the headers. ------

Message-ID: <${TOKEN}@shop.example>
From: shop@shop.example
To: bob@y.example
`;

const QMAIL = `From: MAILER-DAEMON@qmail.example
Subject: failure notice

Hi. This is the qmail-send program at qmail.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<carol@z.example>:
Sorry, no mailbox here by that name. (#5.1.1)

--- Below this line is a copy of the message.

Return-Path: <b+${TOKEN}@bounce.example>
From: dave@elsewhere.example
`;

const EXCHANGE = `From: postmaster@corp.example
Subject: Undeliverable: Spring news
Content-Type: text/plain

Delivery has failed to these recipients or groups:

Erin Example (erin@corp.example)<mailto:erin@corp.example>
Your message couldn't be delivered. The recipient's mailbox is full.

Diagnostic information for administrators:

Generating server: EX1.corp.example

erin@corp.example
#550 5.2.2 STOREDRV.Deliver; mailbox full ##

Original message headers:

Message-ID: <${TOKEN}@shop.example>
`;

const ARF = `From: feedback@yahoo.example
Subject: complaint
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="F"

--F
Content-Type: text/plain

This is an email abuse report.
--F
Content-Type: message/feedback-report

Feedback-Type: abuse
User-Agent: Yahoo!-Mail-Feedback/2.0
Version: 0.1
Original-Mail-From: <b+${TOKEN}@bounce.example>
Original-Rcpt-To: frank@yahoo.example

--F
Content-Type: message/rfc822

Message-ID: <${TOKEN}@shop.example>
List-Unsubscribe: <https://mail.example/u/${TOKEN}>

Text
--F--
`;

describe('reports', () => {
  test("a standard Postfix report yields a code and the server's response for each recipient", async () => {
    expect(await read(POSTFIX)).toEqual({
      id: expect.any(String),
      tokenCandidates: [TOKEN],
      kind: 'bounces',
      copies: [
        {
          recipient: 'ada@x.example',
          originalRecipient: 'ada@x.example',
          code: '5.1.1',
          diagnostic: '550 5.1.1 <ada@x.example>: Recipient address rejected: User unknown',
        },
      ],
    });
  });

  test('a report keeps its id regardless of header fields that relays add', async () => {
    const repeatedReport = await read(`Received: from a by b\n${POSTFIX}`);
    expect(repeatedReport.id).toBe((await read(POSTFIX)).id);
    expect((await read(QMAIL)).id).toBe((await read(`Received: x\n${QMAIL}`)).id);
    expect((await read(QMAIL)).id).not.toBe((await read(EXIM)).id);
  });

  test('bounces from Exim, qmail and Exchange are recognized by their wording', async () => {
    expect(await read(EXIM)).toMatchObject({
      kind: 'bounces',
      tokenCandidates: [TOKEN],
      copies: [{ recipient: 'bob@y.example', code: '5.2.2' }],
    });
    expect(await read(QMAIL)).toMatchObject({
      kind: 'bounces',
      tokenCandidates: [TOKEN],
      copies: [
        {
          recipient: 'carol@z.example',
          code: '5.1.1',
          diagnostic: 'Sorry, no mailbox here by that name. (#5.1.1)',
        },
      ],
    });
    expect(await read(EXCHANGE)).toMatchObject({
      kind: 'bounces',
      tokenCandidates: [TOKEN],
      copies: [{ recipient: 'erin@corp.example', code: '5.2.2' }],
    });
  });

  test('the diagnostic text overrides a vague status', async () => {
    const report = POSTFIX.replace('Status: 5.1.1', 'Status: 5.0.0').replace(
      '550 5.1.1 <ada@x.example>: Recipient address rejected:\n    User unknown',
      '550 5.7.1 Blocked by policy',
    );
    expect(await read(report)).toMatchObject({ copies: [{ code: '5.7.1' }] });
  });

  test('a nonexistent domain in a Postfix report is a hard bounce', async () => {
    const report = POSTFIX.replace('Status: 5.1.1', 'Status: 5.4.4').replace(
      /Diagnostic-Code: [^]*?User unknown\n/,
      `Diagnostic-Code: X-Postfix; Host or domain name not found. Name service error
    for name=x.example type=AAAA: Host not found\n`,
    );
    const result = await read(report);
    const [copy] = result.kind === 'bounces' ? result.copies : [];
    expect(copy).toMatchObject({
      code: '5.4.4',
      diagnostic: expect.stringContaining('Host not found'),
    });
    expect(isHard(copy?.code ?? '', copy?.diagnostic ?? '')).toBe(true);
  });

  test('delay notices, delivery receipts, out-of-office replies and personal emails have no effect', async () => {
    const delayedReport = POSTFIX.replace('Action: failed', 'Action: delayed').replace(
      'Status: 5.1.1',
      'Status: 4.4.1',
    );
    expect(await read(delayedReport)).toMatchObject({ kind: 'nothing', reason: 'delayed' });
    const deliveredReport = POSTFIX.replace('Action: failed', 'Action: delivered');
    expect(await read(deliveredReport)).toMatchObject({ kind: 'nothing', reason: 'delivered' });
    const autoReply = `From: ada@x.example\nSubject: Away\nAuto-Submitted: auto-replied\n\nI am away.\n`;
    expect(await read(autoReply)).toMatchObject({ kind: 'nothing', reason: 'automatic' });
    const email = `From: ada@x.example\nSubject: Hello\n\nWhat could not be delivered?\n`;
    expect(await read(email)).toMatchObject({ kind: 'nothing', reason: 'other' });
    const warning = `From: MAILER-DAEMON@r.example\nSubject: Warning: could not send message for past 4 hours\n\nThe mail will continue to be tried.\n`;
    expect(await read(warning)).toMatchObject({ kind: 'nothing' });
  });

  test('a complaint identifies the copy that it is about; a "not spam" report is not a complaint', async () => {
    expect(await read(ARF)).toMatchObject({
      kind: 'complaint',
      recipient: 'frank@yahoo.example',
      tokenCandidates: [TOKEN],
    });
    const kind = ARF.replace('Feedback-Type: abuse', 'Feedback-Type: not-spam');
    expect(await read(kind)).toMatchObject({ kind: 'nothing' });
  });

  test.each(['virus', 'dkim', 'auth-failure'])(
    'a report of %s is not a complaint',
    async (type) => {
      const kind = ARF.replace('Feedback-Type: abuse', `Feedback-Type: ${type}`);
      expect(await read(kind)).toMatchObject({ kind: 'nothing', reason: 'other' });
    },
  );

  test('undeliverable notices from Exchange are bounces, but out-of-office replies are not', async () => {
    const readAutoReply = (from: string, head: string) =>
      read(
        `From: ${from}\n${head}\nAuto-Submitted: auto-generated\n\nYour mail <ada@x.example> was not delivered to me: I am away. 5.1.1\n`,
      );
    const suppress = 'X-Auto-Response-Suppress: All';
    const autoReplies = [
      ['ada@x.example', 'Subject: Automatic reply: Undeliverable offers'],
      ['mail@x.example', 'Subject: Automatic reply: our news'],
      ['mail@x.example', 'Subject: Out of Office: our news'],
      ['ada@x.example', `Subject: Autosvar: delivery failed for a week\n${suppress}`],
    ] as const;
    for (const [from, head] of autoReplies) {
      expect(await readAutoReply(from, head), head).toMatchObject({
        kind: 'nothing',
        reason: 'automatic',
      });
    }
    const bounce = await readAutoReply(
      'postmaster@x.example',
      `Subject: Undeliverable: news\n${suppress}`,
    );
    expect(bounce).toMatchObject({ kind: 'bounces', copies: [{ code: '5.1.1' }] });
  });

  test('an unsubscribe email is identified by the token in its subject', async () => {
    const email = `From: ada@x.example\nTo: unsubscribe@bounce.example\nSubject: unsubscribe ${TOKEN}\n\n`;
    expect(await read(email, true)).toMatchObject({
      kind: 'unsubscribe',
      tokenCandidates: [TOKEN],
    });
  });
});

/**
 * Parses an emailed bounce report about one copy; the quoted original contains the copy's token.
 */
const bounceOf = (from: string, head: string, text: string) =>
  read(
    `From: ${from}\nMessage-ID: <1@relay.example>\n${head}\n\n${text}\n\n--- Below this line is a copy of the message.\n\nMessage-ID: <${TOKEN}@shop.example>\nFrom: Shop <news@shop.example>\nTo: <ona@bnc.example>\n`,
  );

describe('reports for human readers', () => {
  const undeliverable = 'Subject: Undeliverable Mail';
  test.each([
    [
      'Exim about a domain without a mail service',
      'Mail Delivery System <mailer-daemon@relay.example>',
      'Subject: Mail delivery failed: returning message to sender\nX-Failed-Recipients: ona@bnc.example\nAuto-Submitted: auto-replied',
      'A message that you sent could not be delivered. This is a permanent error.\n\n  ona@bnc.example\n    an MX or SRV record indicated no SMTP service',
      true,
    ],
    [
      'Domino about a user who is not listed',
      'Postmaster@relay.example',
      'Subject: DELIVERY FAILURE: User Ona (ona@bnc.example) not listed in Domino Directory',
      'Your message\n\n  Subject: S\n\nwas not delivered to:\n\n  ona@bnc.example\n\nbecause:\n\n  User Ona (ona@bnc.example) not listed in Domino Directory',
      true,
    ],
    [
      'one line about an unknown user',
      'postmaster@relay.example',
      undeliverable,
      'Unknown user: ona@bnc.example',
      true,
    ],
    [
      'one line with the address after the reason',
      'postmaster@relay.example',
      undeliverable,
      'No such user - <ona@bnc.example>',
      true,
    ],
    [
      'OpenSMTPD about a nonexistent domain',
      'MAILER-DAEMON@relay.example',
      'Subject: Delivery status notification: error',
      '    An error has occurred while attempting to deliver a message for\n    the following list of recipients:\n\nona@bnc.example: Domain does not exist',
      true,
    ],
    [
      'OpenSMTPD about a refusal by the server',
      'MAILER-DAEMON@relay.example',
      'Subject: Delivery status notification: error',
      '    An error has occurred while attempting to deliver a message for\n    the following list of recipients:\n\nona@bnc.example: 550 5.1.1 <ona@bnc.example>: user unknown',
      true,
    ],
    [
      'qmail about a server that refuses the name of the sending host',
      'MAILER-DAEMON@relay.example',
      'Subject: failure notice',
      '<ona@bnc.example>:\nConnected to 192.0.2.112 but my name was rejected.\nRemote host said: 501 5.0.0 Invalid domain name',
      false,
    ],
    [
      'one line about a full mailbox',
      'postmaster@relay.example',
      undeliverable,
      'Mailbox full: ona@bnc.example',
      false,
    ],
    [
      'one line without a known reason',
      'postmaster@relay.example',
      undeliverable,
      'Could not be delivered: ona@bnc.example',
      false,
    ],
  ] as const)('a report of %s is read and classified', async (_, from, head, text, expected) => {
    const report = await bounceOf(from, head, text);
    if (report.kind !== 'bounces') throw new Error(`Read as ${report.kind}`);
    expect(report.tokenCandidates).toEqual([TOKEN]);
    expect(report.copies).toHaveLength(1);
    const [{ recipient, code, diagnostic } = { recipient: '', code: '', diagnostic: '' }] =
      report.copies;
    expect(recipient).toBe('ona@bnc.example');
    expect(isHard(code, diagnostic), `${code} ${diagnostic}`).toBe(expected);
  });

  test('Office 365 reports without a machine-readable part, marked as automatic replies, are read', async () => {
    const text = POSTFIX.replace(/--B\nContent-Description: Delivery report[^]*?--B/, '--B')
      .replace('From: MAILER-DAEMON@relay.example', 'From: postmaster@relay.example')
      .replace(
        /This is the mail system[^]*?RCPT TO command\)/,
        `Delivery has failed to these recipients or groups:\n\nada@x.example\nThe email address wasn't found at the destination domain.\n\nDiagnostic information for administrators:\n\nada@x.example\nRemote Server returned '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup'`,
      );
    expect(await read(text)).toMatchObject({
      kind: 'bounces',
      tokenCandidates: [TOKEN],
      copies: [{ recipient: 'ada@x.example', code: '5.1.10' }],
    });
  });

  test.each([
    ['5.1.1', '552 5.2.2 Over quota', '5.2.2'],
    ['5.1.1', '552 5.1.1 Boite pleine. Recipient overquota.', '5.1.1'],
    ['5.1.1', '450 4.2.2 Mailbox full', '4.2.2'],
    ['5.1.2', '554 5.7.1 Blocked', '5.7.1'],
    ['5.7.1', '550 5.7.1 No such user!', '5.7.1'],
  ])(
    "the code in the response of the recipient's server takes precedence over the relay's status %s: %s",
    async (status, diagnostic, code) => {
      const report = POSTFIX.replace('Status: 5.1.1', `Status: ${status}`).replace(
        '550 5.1.1 <ada@x.example>: Recipient address rejected:\n    User unknown\n',
        `${diagnostic}\n`,
      );
      expect(await read(report)).toMatchObject({ copies: [{ code, diagnostic }] });
      expect(isHard(code, diagnostic)).toBe(diagnostic.includes('No such user'));
    },
  );

  test("a complaint from Outlook's feedback program is read from the attached original email", async () => {
    const jmrp = (from: string, subject: string, recipient: string) =>
      read(
        `From: ${from}\nSubject: ${subject}\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="J"\n\n--J\nContent-Type: message/rfc822\nContent-Disposition: inline\n\n${recipient}Message-ID: <${TOKEN}@shop.example>\nTo: <ona@bnc.example>\nList-Unsubscribe: <https://mail.example/u/${TOKEN}>\n\nHi\n--J--\n`,
      );
    const subject = ' complaint about message from 192.0.2.22';
    const header = 'X-HmXmrOriginalRecipient: ona@bnc.example\n';
    const complaint = { kind: 'complaint', recipient: 'ona@bnc.example', tokenCandidates: [TOKEN] };
    expect(await jmrp('staff@hotmail.com', subject, header)).toMatchObject(complaint);
    expect(await jmrp('abuse@elsewhere.example', 'Junk', header)).toMatchObject(complaint);
    expect(await jmrp('staff@hotmail.com', subject, '')).toMatchObject({
      kind: 'complaint',
      recipient: '',
    });
    expect(await jmrp('ona@bnc.example', 'Fwd: Hello', '')).toMatchObject({ kind: 'nothing' });
  });
});

describe('classification', () => {
  test.each([
    ['5.1.1', '', 'person'],
    ['5.1.2', '', 'person'],
    ['5.1.10', '', 'person'],
    ['5.2.2', '', 'full'],
    ['4.2.2', '', 'full'],
    ['5.2.1', 'disabled', 'mailbox'],
    ['5.7.1', 'User unknown, rejected by policy', 'policy'],
    ['5.7.26', '', 'domain'],
    ['5.7.515', 'Access denied, sending domain does not meet the rules', 'domain'],
    ['5.3.4', '', 'message'],
    ['5.4.4', '', 'network'],
    ['5.0.0', 'User unknown', 'person'],
    ['550', 'No such user here', 'person'],
    ['550', "The email account that you tried to reach doesn't exist", 'person'],
    ['552', 'Mailbox is over quota', 'full'],
    ['554', 'Message blocked: listed at Spamhaus', 'policy'],
    ['', '', 'network'],
    // Microsoft 365, outlook.com, GMX and Postfix use their own phrases.
    ['5.4.1', 'Recipient address rejected: Access denied. AS(201806281)', 'person'],
    ['5.4.1', 'No answer from host', 'network'],
    ['5.4.1', 'All recipient addresses rejected : Access denied', 'person'],
    ['5.5.0', 'Requested action not taken: mailbox unavailable (S2017062302)', 'person'],
    ['550', 'Requested action not taken: mailbox unavailable', 'person'],
    ['550', 'Requested action not taken: mailbox unavailable: blocked, see policy', 'policy'],
    ['550', 'Requested action not taken: mailbox unavailable invalid DNS MX record', 'domain'],
    ['5.7.1', 'Requested action not taken: mailbox unavailable', 'policy'],
    ['5.1.351', 'Remote server returned unknown recipient or mailbox unavailable', 'person'],
    [
      '5.4.4',
      'Host or domain name not found. Name service error for name=x.example type=A: Host not found',
      'person',
    ],
    ['5.4.4', 'unable to route to the next hop', 'network'],
    // The code may appear only in the text and not in the status.
    ['550', '5.4.1 Recipient address rejected: Access denied. AS(201806281)', 'person'],
    ['5.0.0', '550 5.7.1 No such user, by policy', 'policy'],
    ['554', '5.2.2 Over its limit', 'full'],
    ['550', 'host [5.1.1.7] refused: blocked', 'policy'],
  ] as const)('the code “%s” with the text “%s” has the cause %s', (code, diagnostic, cause) => {
    expect(classifyCause(code, diagnostic)).toBe(cause);
  });

  test('only permanent refusals are hard', () => {
    expect(isHard('5.1.1', '')).toBe(true);
    expect(isHard('4.1.1', '')).toBe(false);
    expect(isHard('5.7.1', '550 5.7.1 No such user!')).toBe(true);
    expect(isHard('5.7.1', 'no such user, by policy')).toBe(false);
    expect(isHard('5.4.1', 'Recipient address rejected: Access denied. AS(201806281)')).toBe(true);
    expect(isHard('4.4.4', 'Host or domain name not found. Host not found, try again')).toBe(false);
    expect(isHard('4.4.3', 'Host or domain name not found. Host not found, try again')).toBe(false);
  });

  test('status codes are found in text, and IP addresses are not mistaken for codes', () => {
    expect(findCode('host [5.1.1.7] said: 550 No')).toBe('550');
    expect(findCode('#550 5.2.2 STOREDRV')).toBe('5.2.2');
    expect(findCode('nothing')).toBe('');
  });
});

describe('arbitrary input', () => {
  // CPU time is measured because a busy machine takes longer by the clock.
  const milliseconds = async (bytes: Buffer) => {
    const startUsage = process.cpuUsage();
    await readReport(bytes, true);
    return process.cpuUsage(startUsage).user / 1000;
  };
  /**
   * Linear parsing needs a tenth of this time on a slow machine; superlinear parsing needs minutes.
   */
  const MAX_MILLISECONDS = 4000;
  const SAMPLES = [POSTFIX, EXIM, QMAIL, EXCHANGE, ARF];

  test('random bytes and corrupted samples take linear time to parse', async () => {
    const broken = fc
      .tuple(
        fc.constantFrom(...SAMPLES),
        fc.array(fc.tuple(fc.nat(3000), fc.nat(200), fc.string({ maxLength: 80 })), {
          maxLength: 8,
        }),
      )
      .map(([sample, cuts]) =>
        cuts.reduce(
          (text, [at, many, put]) => text.slice(0, at) + put + text.slice(at + many),
          sample,
        ),
      );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 4000 }).map((bytes) => Buffer.from(bytes)),
          broken.map((text) => Buffer.from(text)),
        ),
        async (bytes) => {
          expect(await milliseconds(bytes)).toBeLessThan(MAX_MILLISECONDS);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('long lines, deep nesting and thousands of fields or addresses take linear time to parse', async () => {
    const head = 'From: mailer-daemon@x\r\nSubject: Undelivered\r\n\r\n';
    const nestedParts = Array.from(
      { length: 2000 },
      (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`,
    ).join('');
    const emails = [
      head + 'a'.repeat(3_000_000),
      head + '<a@b>: x '.repeat(300_000),
      head + 'a@'.repeat(300_000),
      head + '5.1.1 could not be '.repeat(100_000),
      head + 'user '.repeat(200_000),
      nestedParts,
      `Subject: ${'<'.repeat(400_000)}\r\n\r\n<html>${'<'.repeat(90_000)}`,
      `Content-Type: text/html\r\nFrom: postmaster@x\r\n\r\n${'<'.repeat(400_000)}`,
      `Content-Type: message/delivery-status\r\n\r\n${'Action: failed\r\n\r\n'.repeat(20_000)}`,
    ];
    for (const email of emails)
      expect(await milliseconds(Buffer.from(email))).toBeLessThan(MAX_MILLISECONDS);
  });
});
