// Example calls to paste, for a shell and for the official client. A test runs each of them against
// the product. The reader fills in the names in capitals after a dollar sign, such as ids.
import type { Call, CallExample } from '../../contract.ts';

const VARIABLE = /\$([A-Z][A-Z_]*)/g;

/** Markdown for the page of the public API. */
export function buildExample(call: Call, publicUrl: string): string {
  const { params, query, body } = exampleWithIds(call);
  const parts = [
    ['sh', shellOf(call, { params, query, body }, publicUrl)],
    ['js', clientOf(call, { params, query, body })],
  ];
  return parts.map(([language, code]) => `\`\`\`${language}\n${code}\n\`\`\``).join('\n\n');
}

/** Adds a name for each id in the path: `/v2/groups/{id}` uses `$GROUP_ID`. */
export function exampleWithIds({
  path,
  example = {},
}: Pick<Call, 'path' | 'example'>): CallExample {
  const parts = path.split('/');
  const pathIds = parts.flatMap((part, index) => {
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
    if (!name) return [];
    const idName = name === 'id' ? (parts[index - 1] ?? '').replace(/s$/, '') : name;
    return [[name, `$${idName.toUpperCase()}_ID`] as const];
  });
  const params = { ...Object.fromEntries(pathIds), ...example.params };
  return { ...example, ...(pathIds.length > 0 && { params }) };
}

function shellOf(call: Call, { params = {}, query, body }: CallExample, publicUrl: string): string {
  const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  const queryString = query
    ? `?${Object.entries(query)
        .map(([name, value]) => `${name}=${value}`)
        .join('&')}`
    : '';
  const base = publicUrl || '$SENDLOOM_URL';
  const method = call.method === 'GET' ? '' : ` -X ${call.method}`;
  const brackets = queryString.includes('[') ? ' --globoff' : '';
  const lines = [
    `curl --fail-with-body${brackets}${method} "${base}${path}${queryString}"`,
    `-H "Authorization: Bearer $SENDLOOM_TOKEN"`,
    ...(body ? [`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(body))}`] : []),
  ];
  return lines.join(' \\\n  ');
}

/** Single-quoted, except for variables the shell expands. */
const quote = (text: string) =>
  `'${text.replaceAll("'", "'\\''").replace(VARIABLE, (variable) => `'"${variable}"'`)}'`;

function clientOf(call: Call, { params, query, body }: CallExample): string {
  const input = { ...(params && { params }), ...(query && { query }), ...(body && { body }) };
  const name = `${call.method} ${call.path}`;
  if (Object.keys(input).length === 0) return `await sendloom.call('${name}');`;
  const json = JSON.stringify(input, null, 2)
    .replace(/"([A-Za-z_]\w*)":/g, '$1:')
    .replace(/"\$([A-Z][A-Z_]*)"/g, 'process.env.$1');
  return `await sendloom.call('${name}', ${json});`;
}
