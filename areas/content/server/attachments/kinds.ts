// Rules of attachments: allowed types, file name and content type.
import path from 'node:path';
import { MAX_ATTACHED_NAME } from '../../shared.ts';
import { sanitizeFileName } from '../upload.ts';

/** Executable types, which mail clients refuse or run on a click. */
const EXECUTABLE =
  /\.(?:ade|adp|apk|appx|bat|cab|chm|cmd|com|cpl|dll|dmg|exe|hta|ins|iso|isp|jar|js|jse|lib|lnk|mde|msc|msi|msp|mst|nsh|pif|ps1|scr|sct|sh|sys|vb|vbe|vbs|vhd|vxd|wsc|wsf|wsh)$/i;
/** Leading bytes of executable files (null), and of allowed types, mapped to their content type. */
const SIGNATURES: [string, string | null][] = [
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
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  txt: 'text/plain',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
};

/** Returns undefined for types that mail clients refuse, and for files without a name. */
export function identifyAttachment(
  rawName: string,
  bytes: Buffer,
): { name: string; type: string } | undefined {
  // Windows drops trailing dots and spaces: "a.exe." would be executable.
  const name = sanitizeFileName(rawName.replace(/(?<![. ])[. ]+$/, ''), MAX_ATTACHED_NAME);
  if (name === '' || EXECUTABLE.test(name)) return undefined;
  const head = bytes.subarray(0, 8).toString('hex');
  const signature = SIGNATURES.find(([start]) => head.startsWith(start));
  if (signature?.[1] === null) return undefined;
  const extension = path.extname(name).slice(1).toLowerCase();
  const byName = Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined;
  return { name, type: signature?.[1] ?? byName ?? 'application/octet-stream' };
}
