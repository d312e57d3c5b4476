// Finds the reports in a file. The file is an email with attachments, an email that contains a
// forwarded one, or a report itself. The DKIM signature of the email that contains a report proves
// who sent the report.
import { Resolver } from 'node:dns/promises';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import PostalMime, { type Email } from 'postal-mime';
import { MIME_LIMITS } from '#platform/server/limits/mime-limits.ts';
import { readDmarc, type DmarcReport } from './dmarc.ts';
import { MAX_ATTACHMENTS, ReportError, type ReportFault } from './limits.ts';
import { readTls, type TlsReport } from './tls.ts';
import { mayBeReport, unpack } from './unpack.ts';
import { domainIn, organizationOf } from './values.ts';

export type Report = DmarcReport | TlsReport;
/**
 * `signer` is the organization whose signature covers the email; empty without a valid signature.
 */
export type FoundReport = { report: Report; signer: string };
export type FileContent = { reports: FoundReport[]; faults: ReportFault[] };

export type ReadOptions = {
  ourSelectors: readonly string[];
  /** The DNS servers; undefined for the resolvers of the machine. */
  dnsServers: readonly string[] | undefined;
};

const MAX_FORWARDS = 3;
const DNS_TIMEOUT_MS = 3000;

export async function readReports(file: Buffer, options: ReadOptions): Promise<FileContent> {
  if (file.length === 0) return { reports: [], faults: ['empty'] };
  if (mayBeReport(file)) return readFiles([{ content: file, signer: '' }], options);
  const parts = await reportsIn(file, options, MAX_FORWARDS);
  const { reports, faults } = await readFiles(parts, options);
  if (reports.length === 0 && faults.length === 0) return { reports, faults: ['no_report'] };
  return { reports, faults };
}

type Part = { content: Buffer; signer: string };

async function readFiles(parts: readonly Part[], options: ReadOptions): Promise<FileContent> {
  const reports: FoundReport[] = [];
  const faults: ReportFault[] = [];
  // Reports are read one at a time, because each may need tens of megabytes.
  for (const { content, signer } of parts) {
    try {
      reports.push({ report: await readReport(content, options), signer });
    } catch (error) {
      if (!(error instanceof ReportError)) throw error;
      faults.push(error.fault);
    }
  }
  return { reports, faults };
}

async function readReport(content: Buffer, { ourSelectors }: ReadOptions): Promise<Report> {
  const { kind, bytes } = await unpack(content);
  return kind === 'xml' ? readDmarc(bytes, ourSelectors) : readTls(bytes);
}

/** Returns the attachments of the email, and of emails attached to it, that may be reports. */
async function reportsIn(raw: Buffer, options: ReadOptions, forwards: number): Promise<Part[]> {
  const email = await PostalMime.parse(raw, {
    forceRfc822Attachments: true,
    ...MIME_LIMITS,
  }).catch(() => undefined);
  if (!email) return [];
  const contents = email.attachments.map(({ content }) => bufferOf(content));
  const files = contents.filter(mayBeReport).slice(0, MAX_ATTACHMENTS);
  // Some reporters send the report as the text of the email.
  const text = Buffer.from((email.text ?? '').trimStart());
  if (files.length === 0 && mayBeReport(text)) files.push(text);
  const signer = files.length > 0 ? await signerOf(raw, email, options) : '';
  const found = files.map((content) => ({ content, signer }));
  if (forwards === 0) return found;
  for (const [index, { mimeType }] of email.attachments.entries()) {
    if (found.length >= MAX_ATTACHMENTS) break;
    const inner = contents[index];
    if (inner && /^message\/rfc822$/i.test(mimeType)) {
      found.push(...(await reportsIn(inner, options, forwards - 1)));
    }
  }
  return found.slice(0, MAX_ATTACHMENTS);
}

const bufferOf = (content: ArrayBuffer | Uint8Array | string): Buffer =>
  typeof content === 'string'
    ? Buffer.from(content)
    : content instanceof ArrayBuffer
      ? Buffer.from(content)
      : Buffer.from(content.buffer, content.byteOffset, content.byteLength);

/**
 * Returns the organization in the From field if it signed the whole email. A signature with a
 * length limit does not cover attachments that were added later.
 */
async function signerOf(raw: Buffer, email: Email, options: ReadOptions): Promise<string> {
  const sender = email.from?.address ?? '';
  const domain = domainIn(sender.slice(sender.lastIndexOf('@') + 1));
  if (domain === '') return '';
  const organization = organizationOf(domain);
  const { results, headerFrom } = await verified(raw, options);
  const isOneSender = headerFrom.length === 1;
  const isProven = results.some(
    ({ status, signingDomain, canonBodyLengthLimited }) =>
      status.result === 'pass' &&
      canonBodyLengthLimited !== true &&
      organizationOf(domainIn(signingDomain)) === organization,
  );
  return isOneSender && isProven ? organization : '';
}

type Verified = {
  headerFrom: string[];
  results: {
    status: { result: string };
    signingDomain?: string;
    canonBodyLengthLimited?: boolean;
  }[];
};

async function verified(raw: Buffer, { dnsServers }: ReadOptions): Promise<Verified> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  if (dnsServers && dnsServers.length > 0) resolver.setServers([...dnsServers]);
  const resolve = (name: string, type: string) =>
    resolver.resolve(name, type) as Promise<string[][]>;
  try {
    return (await dkimVerify(raw, { resolver: resolve })) as Verified;
  } catch {
    return { headerFrom: [], results: [] };
  }
}
