// Finds the reports in a file. The file is a report, or an email that contains reports: as
// attachments, as its text, or in emails attached to it. A valid DKIM signature of the email that
// directly contains a report proves who sent the report.
import { Resolver } from 'node:dns/promises';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import PostalMime, { type Email } from 'postal-mime';
import { MIME_LIMITS } from '#platform/server/limits/mime-limits.ts';
import { readDmarc, type DmarcReport } from './dmarc.ts';
import { MAX_ATTACHMENTS, ReportError, type ReportFault } from './limits.ts';
import { readTls, type TlsReport } from './tls.ts';
import { isPossibleReport, unpackFile } from './unpack.ts';
import { parseDomain, getOrganizationalDomain } from './values.ts';

export type ReadReport = DmarcReport | TlsReport;
/**
 * `signer` is the registrable domain of the email's From address if that domain signed the whole
 * email (see `findSigner`); otherwise empty, as for a file that is itself a report.
 */
export type FoundReport = { report: ReadReport; signer: string };
export type FileContent = { reports: FoundReport[]; faults: ReportFault[] };

export type ReadOptions = {
  ourSelectors: readonly string[];
  /** If undefined or empty, the DNS servers configured on the machine are used. */
  dnsServers: readonly string[] | undefined;
};

/** Maximum nesting depth of attached emails to read. */
const MAX_FORWARD_DEPTH = 3;
const DNS_TIMEOUT_MS = 3000;

export async function readReports(file: Buffer, options: ReadOptions): Promise<FileContent> {
  if (file.length === 0) return { reports: [], faults: ['empty'] };
  if (isPossibleReport(file)) return readFiles([{ content: file, signer: '' }], options);
  const candidates = await findCandidates(file, options, MAX_FORWARD_DEPTH);
  const { reports, faults } = await readFiles(candidates, options);
  if (reports.length === 0 && faults.length === 0) return { reports, faults: ['no_report'] };
  return { reports, faults };
}

/** A file that begins like a report. */
type Candidate = { content: Buffer; signer: string };

async function readFiles(
  candidates: readonly Candidate[],
  options: ReadOptions,
): Promise<FileContent> {
  const reports: FoundReport[] = [];
  const faults: ReportFault[] = [];
  // Reports are read one at a time, because each may need tens of megabytes.
  for (const { content, signer } of candidates) {
    try {
      reports.push({ report: await readReport(content, options), signer });
    } catch (error) {
      if (!(error instanceof ReportError)) throw error;
      faults.push(error.fault);
    }
  }
  return { reports, faults };
}

async function readReport(content: Buffer, { ourSelectors }: ReadOptions): Promise<ReadReport> {
  const { kind, bytes } = await unpackFile(content);
  return kind === 'xml' ? readDmarc(bytes, ourSelectors) : readTls(bytes);
}

/**
 * Returns up to `MAX_ATTACHMENTS` files that may be reports: first the email's attachments, or its
 * text if no attachment may be a report; then the files in attached emails, `depth` levels deep.
 */
async function findCandidates(
  raw: Buffer,
  options: ReadOptions,
  depth: number,
): Promise<Candidate[]> {
  const email = await PostalMime.parse(raw, {
    forceRfc822Attachments: true,
    ...MIME_LIMITS,
  }).catch(() => undefined);
  if (!email) return [];
  const contents = email.attachments.map(({ content }) => toBuffer(content));
  const files = contents.filter(isPossibleReport).slice(0, MAX_ATTACHMENTS);
  // Some reporters send the report as the text of the email.
  const text = Buffer.from((email.text ?? '').trimStart());
  if (files.length === 0 && isPossibleReport(text)) files.push(text);
  const signer = files.length > 0 ? await findSigner(raw, email, options) : '';
  const signedFiles = files.map((content) => ({ content, signer }));
  if (depth === 0) return signedFiles;
  for (const [index, { mimeType }] of email.attachments.entries()) {
    if (signedFiles.length >= MAX_ATTACHMENTS) break;
    const innerContent = contents[index];
    if (innerContent && /^message\/rfc822$/i.test(mimeType)) {
      signedFiles.push(...(await findCandidates(innerContent, options, depth - 1)));
    }
  }
  return signedFiles.slice(0, MAX_ATTACHMENTS);
}

const toBuffer = (content: ArrayBuffer | Uint8Array | string): Buffer =>
  typeof content === 'string'
    ? Buffer.from(content)
    : content instanceof ArrayBuffer
      ? Buffer.from(content)
      : Buffer.from(content.buffer, content.byteOffset, content.byteLength);

/**
 * Returns the registrable domain of the From address if it is the only address in From fields and a
 * valid signature of that domain or a subdomain covers the whole email; otherwise an empty string.
 * Signatures with a length limit are ignored, because they do not cover attachments added later.
 */
async function findSigner(raw: Buffer, email: Email, options: ReadOptions): Promise<string> {
  const sender = email.from?.address ?? '';
  const domain = parseDomain(sender.slice(sender.lastIndexOf('@') + 1));
  if (domain === '') return '';
  const organization = getOrganizationalDomain(domain);
  const { results, headerFrom } = await verifyDkim(raw, options);
  const isOneSender = headerFrom.length === 1;
  const isProven = results.some(
    ({ status, signingDomain, canonBodyLengthLimited }) =>
      status.result === 'pass' &&
      canonBodyLengthLimited !== true &&
      getOrganizationalDomain(parseDomain(signingDomain)) === organization,
  );
  return isOneSender && isProven ? organization : '';
}

type SignatureVerification = {
  headerFrom: string[];
  results: {
    status: { result: string };
    signingDomain?: string;
    canonBodyLengthLimited?: boolean;
  }[];
};

/** Returns no results if verification throws, so that the report is treated as unsigned. */
async function verifyDkim(
  raw: Buffer,
  { dnsServers }: ReadOptions,
): Promise<SignatureVerification> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  if (dnsServers && dnsServers.length > 0) resolver.setServers([...dnsServers]);
  const resolve = (name: string, type: string) =>
    resolver.resolve(name, type) as Promise<string[][]>;
  try {
    return (await dkimVerify(raw, { resolver: resolve })) as SignatureVerification;
  } catch {
    return { headerFrom: [], results: [] };
  }
}
