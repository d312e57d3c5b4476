// Converts pasted text to the bytes of a file: address lists, with or without names, become one
// person per line.

interface PastedEntry {
  address: string;
  name: string;
}

/**
 * Addresses separated by commas, semicolons or spaces become one per line; `Name <address>` as in
 * email programs becomes two columns. All other text is unchanged.
 */
export function encodePastedText(input: string | readonly string[]): Buffer {
  const text = typeof input === 'string' ? input : input.join('\n');
  return Buffer.from(formatNamedList(text) ?? formatPlainList(text));
}

function formatPlainList(text: string): string {
  const lines: string[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    // Most lines have one address and need no splitting, which takes 100 ms for 180,000 lines.
    const addresses = /[\s,;]/.test(line) ? line.split(/[\s,;]+/).filter(Boolean) : [];
    const areAddresses =
      addresses.length > 1 && addresses.every((address) => /^[^@<>"]+@[^@<>"]+$/.test(address));
    if (areAddresses) for (const address of addresses) lines.push(address);
    else lines.push(line);
  }
  return lines.join('\n');
}

/**
 * Converts a list of addresses to lines; undefined if any part is not an address with or without a
 * name.
 */
function formatNamedList(text: string): string | undefined {
  if (!/<[^<>@\s]+@[^<>@\s]+>/.test(text)) return undefined;
  const pastedEntries: PastedEntry[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const entries = parseEntries(line.replace(/^\s*(?:to|cc|bcc|from)\s*:\s*/i, ''));
    if (entries === undefined) return undefined;
    for (const entry of entries) pastedEntries.push(entry);
  }
  const lines = pastedEntries.map(
    ({ address, name }) => `${address},"${name.replaceAll('"', '""')}"`,
  );
  return ['Email,Name', ...lines].join('\n');
}

function parseEntries(line: string): PastedEntry[] | undefined {
  const byMark = splitOutsideQuotes(line, ';');
  const segments = byMark.length > 1 ? byMark : splitOutsideQuotes(line, ',');
  const entries: PastedEntry[] = [];
  let pendingName = '';
  for (const segment of segments) {
    // `Lund, Mona <mona@x.example>`: a comma in an unquoted name.
    const complete = pendingName === '' ? segment : `${pendingName}, ${segment}`;
    if (!segment.includes('@')) {
      pendingName = complete;
      continue;
    }
    pendingName = '';
    const entry = parseEntry(complete);
    if (entry === undefined) return undefined;
    entries.push(entry);
  }
  return pendingName === '' ? entries : undefined;
}

/** Splits at separators outside quotes and angle brackets; empty parts are dropped. */
function splitOutsideQuotes(line: string, separator: string): string[] {
  const segments: string[] = [];
  let start = 0;
  let isQuoted = false;
  let isAddress = false;
  for (let index = 0; index <= line.length; index++) {
    const character = line[index];
    if (character === '"' && line[index - 1] !== '\\') isQuoted = !isQuoted;
    else if (character === '<' && !isQuoted) isAddress = true;
    else if (character === '>') isAddress = false;
    const isEnd = index === line.length || (character === separator && !isQuoted && !isAddress);
    if (!isEnd) continue;
    segments.push(line.slice(start, index).trim());
    start = index + 1;
  }
  return segments.filter(Boolean);
}

function parseEntry(segment: string): PastedEntry | undefined {
  const bareAddress = /^<?([^@<>"\s]+@[^@<>"\s]+?)>?$/.exec(segment);
  if (bareAddress !== null) return { address: bareAddress[1] ?? '', name: '' };
  const bracketIndex = segment.lastIndexOf('<');
  const address = /^<\s*(?:mailto:)?([^@<>"\s]+@[^@<>"\s]+?)\s*>$/.exec(
    segment.slice(bracketIndex),
  )?.[1];
  if (bracketIndex === -1 || address === undefined) return undefined;
  const name = segment
    .slice(0, bracketIndex)
    .trim()
    .replace(/^"(.*)"$/s, '$1')
    .replace(/^'(.*)'$/s, '$1')
    .replace(/\\(.)/g, '$1')
    .trim();
  if (name.includes('<')) return undefined;
  const [last = '', first, ...more] = name.split(',').map((namePart) => namePart.trim());
  const isLastNameFirst = first !== undefined && first !== '' && more.length === 0;
  return { address, name: isLastNameFirst ? `${first} ${last}` : name };
}
