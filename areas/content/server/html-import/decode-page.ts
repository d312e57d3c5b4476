// Decodes a page by its byte order mark, otherwise as UTF-8 if that is valid, otherwise by the
// encoding in its Content-Type or its `meta` element, otherwise by the default encoding of old
// editors.

const MAX_DECLARATION_BYTES = 2_048;

export function decodePage(bytes: Buffer, contentCharset = ''): string {
  const byteOrderMark = detectByteOrderMark(bytes);
  if (byteOrderMark) return new TextDecoder(byteOrderMark).decode(bytes);
  const asUtf8 = decodeBytes(bytes, 'utf-8');
  if (asUtf8 !== undefined) return asUtf8;
  const head = bytes.toString('latin1', 0, MAX_DECLARATION_BYTES);
  const declaredCharsets = [
    contentCharset,
    ...(/<meta[^<>]{0,300}?\bcharset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(head) ?? []).slice(
      1,
    ),
  ];
  for (const label of [...declaredCharsets, 'windows-1252']) {
    const text = label === '' ? undefined : decodeBytes(bytes, label);
    if (text !== undefined) return text;
  }
  return bytes.toString('latin1');
}

function detectByteOrderMark(bytes: Buffer): string | undefined {
  const head = bytes.toString('hex', 0, 3);
  if (head === 'efbbbf') return 'utf-8';
  if (head.startsWith('fffe')) return 'utf-16le';
  return head.startsWith('feff') ? 'utf-16be' : undefined;
}

/** Decodes the bytes; returns undefined for invalid bytes or an unknown label. */
function decodeBytes(bytes: Buffer, label: string): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
