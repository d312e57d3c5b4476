// Attachments of a call: from base64 or a public https address, so many and so large, nothing that runs.
import path from 'node:path';
import { AppError } from '#platform/server/errors.ts';
import { callPublic } from '#platform/server/outgoing-call.ts';
import { ATTACHMENT_BYTES_MOST, ATTACHMENTS_MOST } from '../limits.ts';

export type Attachment = { name: string; type: string; base64: string };

const WITHIN_MS = 10_000;
const BASE64 = 'base64://';
const NAME_MOST = 200;
/** What mail programs refuse, or run at a click. */
const RUNS =
  /\.(?:ade|adp|apk|appx|bat|cab|chm|cmd|com|cpl|dll|dmg|exe|hta|ins|iso|isp|jar|js|jse|lib|lnk|mde|msc|msi|msp|mst|nsh|pif|ps1|scr|sct|sh|sys|vb|vbe|vbs|vhd|vxd|wsc|wsf|wsh)$/i;
const SIGNS: [string, string | null][] = [
  ['4d5a', null],
  ['7f454c46', null],
  ['2321', null],
  ['cafebabe', null],
  ['cffaedfe', null],
  ['25504446', 'application/pdf'],
  ['89504e47', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
];
const TYPES: Record<string, string> = {
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ics: 'text/calendar',
  json: 'application/json',
  txt: 'text/plain',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
};

const refused = (name: string, why: string) =>
  new AppError('attachment_refused', {
    errors: { [`attachments.${name}`]: [`transactional:errors.attachment_${why}`] },
  });

/** Fetches what stands at addresses. 422 `attachment_refused` names the one that cannot be taken. */
export async function takeAttachments(
  given: Readonly<Record<string, string>>,
): Promise<Attachment[]> {
  const entries = Object.entries(given);
  if (entries.length > ATTACHMENTS_MOST) throw refused('', 'number');
  const files = await Promise.all(
    entries.map(async ([name, from]) => ({ name, bytes: await bytesOf(name, from) })),
  );
  return checkAttachments(files);
}

/** The same of what is there already. */
export function checkAttachments(files: readonly { name: string; bytes: Buffer }[]): Attachment[] {
  if (files.length > ATTACHMENTS_MOST) throw refused('', 'number');
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size > ATTACHMENT_BYTES_MOST) throw refused(files[0]?.name ?? '', 'large');
  return files.map(({ name, bytes }) => {
    const plain = path
      .basename(name)
      .replace(/[\u0000-\u001f\u007f"\\]/g, '')
      .slice(0, NAME_MOST);
    if (plain === '' || RUNS.test(plain)) throw refused(name, 'kind');
    return { name: plain, type: typeOf(name, plain, bytes), base64: bytes.toString('base64') };
  });
}

function typeOf(name: string, plain: string, bytes: Buffer): string {
  const head = bytes.subarray(0, 8).toString('hex');
  const sign = SIGNS.find(([start]) => head.startsWith(start));
  if (sign?.[1] === null) throw refused(name, 'kind');
  const extension = path.extname(plain).slice(1).toLowerCase();
  return sign?.[1] ?? TYPES[extension] ?? 'application/octet-stream';
}

async function bytesOf(name: string, from: string): Promise<Buffer> {
  if (from.startsWith(BASE64)) {
    const text = from.slice(BASE64.length).replace(/\s+/g, '');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text === '') throw refused(name, 'base64');
    return Buffer.from(text, 'base64');
  }
  if (!/^https?:\/\//i.test(from)) throw refused(name, 'address');
  const answer = await callPublic(from, {
    method: 'GET',
    withinMs: WITHIN_MS,
    bytesMost: ATTACHMENT_BYTES_MOST + 1,
  }).catch(() => undefined);
  if (answer?.status !== 200) throw refused(name, 'fetch');
  if (answer.body.length > ATTACHMENT_BYTES_MOST) throw refused(name, 'large');
  return answer.body;
}
