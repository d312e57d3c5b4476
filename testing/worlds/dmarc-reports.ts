// Reports as mail servers send them: DMARC reports in several dialects of XML, TLS reports in JSON,
// and emails that contain them, signed by the reporter.
import { generateKeyPairSync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { dkimSign } from 'mailauth/lib/dkim/sign.js';

export type SampleRow = {
  ip?: string;
  count?: number | string;
  headerFrom?: string;
  /** Aligned results as the receiver evaluated them. */
  dkimAligned?: boolean;
  spfAligned?: boolean;
  dkim?: { domain: string; selector?: string; result?: string }[];
  spf?: { domain: string; result?: string }[];
  disposition?: string;
  reasons?: { type: string; comment?: string }[];
};

export type SampleReport = {
  organization?: string;
  email?: string;
  id?: string;
  begin?: number | string;
  end?: number | string;
  domain?: string;
  policy?: string;
  rows?: SampleRow[];
};

const tag = (name: string, value: string | number) => `<${name}>${value}</${name}>`;

/** A row about tea.example; this installation signed its email with the key sl1. */
export const OWN_ROW: SampleRow = {
  dkim: [{ domain: 'tea.example', selector: 'sl1' }],
  spf: [{ domain: 'bounce.tea.example' }],
};

function rowXml(row: SampleRow): string {
  const {
    ip = '192.0.2.1',
    count = 1,
    headerFrom = 'tea.example',
    dkimAligned = true,
    spfAligned = true,
    disposition = 'none',
  } = row;
  const reasons = (row.reasons ?? []).map(({ type, comment = '' }) =>
    tag('reason', tag('type', type) + tag('comment', comment)),
  );
  const dkim = (row.dkim ?? []).map(({ domain, selector, result = 'pass' }) =>
    tag(
      'dkim',
      tag('domain', domain) + (selector ? tag('selector', selector) : '') + tag('result', result),
    ),
  );
  const spf = (row.spf ?? []).map(({ domain, result = 'pass' }) =>
    tag('spf', tag('domain', domain) + tag('scope', 'mfrom') + tag('result', result)),
  );
  const policyEvaluated =
    tag('disposition', disposition) +
    tag('dkim', dkimAligned ? 'pass' : 'fail') +
    tag('spf', spfAligned ? 'pass' : 'fail') +
    reasons.join('');
  return tag(
    'record',
    tag(
      'row',
      tag('source_ip', ip) + tag('count', count) + tag('policy_evaluated', policyEvaluated),
    ) +
      tag('identifiers', tag('header_from', headerFrom)) +
      tag('auth_results', dkim.join('') + spf.join('')),
  );
}

/** Returns a report in the format of RFC 7489, Appendix C. */
export function renderDmarcXml(report: SampleReport = {}): string {
  const {
    organization = 'receiver.example',
    email = 'noreply@receiver.example',
    id = 'report-1',
    begin = 1_795_824_000,
    end = 1_795_910_399,
    domain = 'tea.example',
    policy = 'none',
    rows = [OWN_ROW],
  } = report;
  const metadata =
    tag('org_name', organization) +
    tag('email', email) +
    tag('report_id', id) +
    tag('date_range', tag('begin', begin) + tag('end', end));
  const policyPublished =
    tag('domain', domain) + tag('adkim', 'r') + tag('p', policy) + tag('pct', 100);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<feedback>${tag('version', '1.0')}${tag('report_metadata', metadata)}${tag('policy_published', policyPublished)}${rows.map(rowXml).join('\n')}</feedback>`;
}

/** Returns an email with one or more attachments; lines end with CRLF. */
export function reportEmail(
  content: Buffer | string | readonly (Buffer | string)[],
  { from = 'noreply@receiver.example', type = 'application/gzip', name = 'report.xml.gz' } = {},
): Buffer {
  const contents = typeof content === 'string' || Buffer.isBuffer(content) ? [content] : content;
  const encodeBase64 = (file: Buffer | string) =>
    Buffer.from(file as string)
      .toString('base64')
      .replace(/.{76}/g, '$&\r\n');
  return Buffer.from(
    [
      `From: Reports <${from}>`,
      'To: reports@tea.example',
      'Subject: Report domain: tea.example',
      `Message-ID: <${Math.random()}@receiver.example>`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="BOUNDARY"',
      '',
      '--BOUNDARY',
      'Content-Type: text/plain',
      '',
      'unused',
      ...contents.flatMap((file) => [
        '--BOUNDARY',
        `Content-Type: ${type}; name="${name}"`,
        'Content-Transfer-Encoding: base64',
        `Content-Disposition: attachment; filename="${name}"`,
        '',
        encodeBase64(file),
      ]),
      '--BOUNDARY--',
      '',
    ].join('\r\n'),
  );
}

/** Returns an email that has the given email as an attachment, as mail programs forward it. */
export function renderForwardedEmail(email: Buffer): Buffer {
  const head = [
    'From: Ada <ada@tea.example>',
    'Subject: Fwd: Report',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="OUTER"',
    '',
    '--OUTER',
    'Content-Type: text/plain',
    '',
    'See below',
    '--OUTER',
    'Content-Type: message/rfc822',
    '',
    '',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head), email, Buffer.from('\r\n--OUTER--\r\n')]);
}

/** Returns a report in the format of RFC 8460, about sessions under one policy of the domain. */
export function renderTlsJson(report: {
  organization?: string;
  id?: string;
  begin: number;
  end: number;
  domain: string;
  succeeded?: number;
  failed?: number;
}): string {
  const { organization = 'Receiver', id = 'tls-1', begin, end, domain } = report;
  const toIsoTime = (seconds: number) => new Date(seconds * 1000).toISOString();
  return JSON.stringify({
    'organization-name': organization,
    'report-id': id,
    'date-range': { 'start-datetime': toIsoTime(begin), 'end-datetime': toIsoTime(end) },
    policies: [
      {
        policy: { 'policy-type': 'sts', 'policy-domain': domain },
        summary: {
          'total-successful-session-count': report.succeeded ?? 9,
          'total-failure-session-count': report.failed ?? 3,
        },
      },
    ],
  });
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const SELECTOR = 'reports';

/** Returns the DNS record of the key that `signEmail` uses. */
export const signingRecord = (domain: string) => ({
  name: `${SELECTOR}._domainkey.${domain}`,
  value: `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`,
});

/** @param bodyLength the number of signed bytes of the body; by default all */
export async function signEmail(
  email: Buffer,
  domain = 'receiver.example',
  bodyLength?: number,
): Promise<Buffer> {
  const signature = {
    signingDomain: domain,
    selector: SELECTOR,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ...(bodyLength === undefined ? {} : { maxBodyLength: bodyLength }),
  };
  const { signatures } = await dkimSign(email, { ...signature, signatureData: [signature] });
  return Buffer.concat([Buffer.from(signatures), email]);
}

export const signReport = (report: SampleReport = {}, domain = 'receiver.example') =>
  signEmail(reportEmail(gzipSync(renderDmarcXml(report)), { from: `noreply@${domain}` }), domain);
