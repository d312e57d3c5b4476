// Attachments of a call, which are given as base64 or as a public URL. They are limited in number
// and size, and executable types are refused.
import { identifyAttachment } from '#areas/content/server/index.ts';
import { AppError } from '#platform/server/errors.ts';
import { callPublic } from '#platform/server/outgoing/outgoing-call.ts';
import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from '../shared.ts';

export type EncodedAttachment = { name: string; type: string; base64: string };

const TIMEOUT_MS = 10_000;
const BASE64 = 'base64://';

const attachmentError = (name: string, cause: string) =>
  new AppError('attachment_refused', {
    errors: { [`attachments.${name}`]: [`transactional:errors.attachment_${cause}`] },
  });

/**
 * Decodes or fetches attachments and checks them.
 * @throws `attachment_refused` with the name of the attachment
 */
export async function fetchAttachments(
  sources: Readonly<Record<string, string>>,
): Promise<EncodedAttachment[]> {
  const entries = Object.entries(sources);
  if (entries.length > MAX_ATTACHMENTS) throw attachmentError('', 'number');
  const files = await Promise.all(
    entries.map(async ([name, source]) => ({ name, bytes: await bytesOf(name, source) })),
  );
  return checkAttachments(files);
}

/**
 * Checks the number, total size and types of attachments and encodes them.
 * @throws `attachment_refused`
 */
export function checkAttachments(
  files: readonly { name: string; bytes: Buffer }[],
): EncodedAttachment[] {
  if (files.length > MAX_ATTACHMENTS) throw attachmentError('', 'number');
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size > MAX_ATTACHMENT_BYTES) throw attachmentError(files[0]?.name ?? '', 'large');
  return files.map(({ name, bytes }) => {
    const fileType = identifyAttachment(name, bytes);
    if (fileType === undefined) throw attachmentError(name, 'kind');
    return { ...fileType, base64: bytes.toString('base64') };
  });
}

async function bytesOf(name: string, source: string): Promise<Buffer> {
  if (source.startsWith(BASE64)) {
    const text = source.slice(BASE64.length).replace(/\s+/g, '');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text === '') throw attachmentError(name, 'base64');
    return Buffer.from(text, 'base64');
  }
  if (!/^https?:\/\//i.test(source)) throw attachmentError(name, 'address');
  const response = await callPublic(source, {
    method: 'GET',
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ATTACHMENT_BYTES + 1,
  }).catch(() => undefined);
  if (response?.status !== 200) throw attachmentError(name, 'fetch');
  if (response.body.length > MAX_ATTACHMENT_BYTES) throw attachmentError(name, 'large');
  return response.body;
}
