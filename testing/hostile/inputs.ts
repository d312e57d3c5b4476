// The most expensive inputs for each parser of customers' content: inputs that a parser handled, or
// might handle, in more than linear time. bench/pauses sends them to real roles; testing/fuzz sends
// a short form of them.
import sharp from 'sharp';
import { createLargeDocument } from '#areas/content/server/document/sample-document.ts';

/** The receiver of the inputs: a role over the network, or a server in this process. */
export type HostileTarget = {
  /** Makes a JSON call with an owner's session; returns the status. */
  call(method: 'POST' | 'GET', url: string, body?: unknown): Promise<number>;
  /** Makes a JSON call with an API token of the account; returns the status. */
  callByToken(method: 'POST' | 'GET', url: string, body?: unknown): Promise<number>;
  /** Uploads a file in the part `file` of a form. */
  upload(url: string, name: string, bytes: Buffer): Promise<number>;
  /** Sends an email to the return path; undefined if no return path listens. */
  sendEmail?: (bytes: Buffer) => Promise<number>;
  campaign: string;
};

export type HostileInput = {
  name: string;
  /** Returns the status of the response. */
  send(target: HostileTarget): Promise<number>;
};

type InputShape = readonly [name: string, text: (length: number) => string];

/** Repeats a string to a length. */
const repeatPiece =
  (piece: string, prefix = '', suffix = '') =>
  (length: number) =>
    prefix + piece.repeat(Math.max(1, Math.floor(length / piece.length))) + suffix;

const HTML: readonly InputShape[] = [
  ['CSS url( and blanks', repeatPiece(' ', '<style>a{background:url(', '</style>')],
  ['many CSS url(', repeatPiece('url( ', '<style>', '</style>')],
  ['a title of braces', repeatPiece('{{', '<title>', '</title>')],
  ['opening signs', repeatPiece('<')],
  ['unclosed elements', repeatPiece('<div>')],
  ['unclosed comments', repeatPiece('<!--')],
  ['conditional comments', repeatPiece('<!--[if mso]>')],
  ['unclosed attributes', repeatPiece('<a b="')],
  ['attributes of one element', repeatPiece('a="b" ', '<p ', '>')],
  ['equal signs', repeatPiece('=', '<p ', '>')],
  ['entities', repeatPiece('&amp')],
  ['unended entities', repeatPiece('&#x')],
  ['links', repeatPiece('<a href="https://shop.example/x">x</a>')],
  ['bare addresses', repeatPiece('https://shop.example/x ')],
  ['nested tables', repeatPiece('<table><tr><td>')],
  ['style elements', repeatPiece('<style>p{color:red}</style>')],
  ['selectors', repeatPiece('a b>c,', '<style>', 'x{color:red}</style><p>x</p>')],
  ['negations', repeatPiece(':not(', '<style>a', '</style><a>x</a>')],
  ['important rules', repeatPiece('p{color:red!important}', '<style>', '</style><p>x</p>')],
  ['media queries', repeatPiece('@media(', '<style>', '</style>')],
  ['CSS comments', repeatPiece('/*', '<style>', '</style>')],
  ['blanks', repeatPiece(' ', '<p>', '</p>')],
  ['line breaks', repeatPiece('\r\n', '<p>', '</p>')],
  ['merge tags', repeatPiece('{{ firstname | default: "friend" }}')],
  ['openings of tags', repeatPiece('{{')],
  ['dates', repeatPiece('{{ "now" | date: "%B%A" }}')],
  ['old tags', repeatPiece('{$')],
  ['quotes in tags', repeatPiece('{{ a | default: "')],
  ['tags of other services', repeatPiece('*|FNAME|* ')],
  ['scripts', repeatPiece('<script>')],
];

const HTML_CALLS: readonly [name: string, send: (html: string) => HostileInput['send']][] = [
  [
    'inline CSS',
    (html) => (target) => target.call('POST', '/client-api/api/content/inline_css', { html }),
  ],
  [
    'preview HTML',
    (html) => (target) =>
      target.call('POST', `/client-api/api/campaigns/${target.campaign}/preview`, {
        editor: 'html',
        html,
      }),
  ],
  [
    'import a template',
    (html) => (target) =>
      target.upload(
        '/client-api/api/saved_templates/html_file',
        'page.html',
        Buffer.from(`<html><body>${html}`),
      ),
  ],
];

const EXPRESSION = (depth: number): string =>
  depth === 0 ? 'x' : `x | has_exp: 'y', "${EXPRESSION(depth - 1).replace(/["\\]/g, '\\$&')}"`;

const LIQUID: readonly InputShape[] = [
  [
    'nested expressions',
    () => `{% if a %}{% endif %}{{ items | has_exp: 'x', "${EXPRESSION(4)}" }}`,
  ],
  [
    'nested loops',
    () =>
      '{% for i in (1..1000) %}{% for j in (1..1000) %}{{ i | times: j }}{% endfor %}{% endfor %}',
  ],
  ['long ranges', () => '{% for i in (1..100000000) %}x{% endfor %}'],
  ['conditions', repeatPiece('{% if a %}')],
  ['openings', repeatPiece('{% ', '{% if a %}{% endif %}')],
  ['brackets', repeatPiece('[', '{% assign a = b', ' %}')],
  ['filters', repeatPiece(' | upcase', '{% if a %}{% endif %}{{ a', ' }}')],
  [
    'growing words',
    () => `{% assign a = "xxxxxxxxxx" %}${'{% assign a = a | append: a %}'.repeat(60)}{{ a }}`,
  ],
  [
    'splits',
    repeatPiece('a,', '{% if a %}{% endif %}{{ "', '" | split: "," | sort | join: ";" }}'),
  ],
  [
    'replacements',
    () => `{% assign a = "${'x'.repeat(5_000)}" %}{{ a | replace: "x", a | replace: "x", a }}`,
  ],
  ['raw blocks', repeatPiece('{% raw %}')],
  ['cases', repeatPiece('{% when a %}', '{% case a %}', '{% endcase %}')],
  ['a render of a property', () => '{% render constructor %}'],
  ['dates', repeatPiece('{{ "now" | date: "%Y%B%A" }}', '{% if a %}{% endif %}')],
];

const HOSTILE_TEXTS: readonly InputShape[] = [
  ['addresses', repeatPiece('https://shop.example/x ')],
  ['blanks', repeatPiece(' ')],
  ['line breaks', repeatPiece('\r\n')],
  ['openings of tags', repeatPiece('{{')],
  ['dots', repeatPiece('a.')],
];

const deepArray = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Returns an object with the maximum number of distinct names. */
const objectOfDistinctNames = (length: number) =>
  Object.fromEntries(Array.from({ length: Math.floor(length / 12) }, (_, i) => [`n${i}`, i]));

/** Returns objects of `size` names each, all of them distinct. */
const rowsOfDistinctNames = (length: number, size: number) =>
  Array.from({ length: Math.floor(length / 12 / size) }, (_, row) =>
    Object.fromEntries(Array.from({ length: size }, (_, i) => [`n${row * size + i}`, i])),
  );

/**
 * Returns rows with the same names, each row in another order. The parser creates a hidden class
 * for each order.
 */
const rowsOfShuffledNames = (length: number) =>
  Array.from({ length: Math.floor(length / 240) }, (_, row) =>
    Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`n${(i * (row % 19) + row) % 20}`, i]),
    ),
  );

/** JSON bodies that contracts must refuse or accept quickly. */
const JSON_CALLS: readonly [name: string, url: string, body: (length: number) => unknown][] = [
  [
    'conditions',
    '/client-api/api/filters/preview',
    (length) => ({
      conditions: Array(Math.floor(length / 80)).fill({
        type: 'email_status',
        operator: 'is',
        operand: 'active',
      }),
    }),
  ],
  [
    'conditions of an export',
    '/client-api/api/exports',
    (length) => ({ conditions: Array(Math.floor(length / 3)).fill({}) }),
  ],
  [
    'columns of an export',
    '/client-api/api/exports',
    (length) => ({ all: true, columns: Array(Math.floor(length / 4)).fill('a') }),
  ],
  [
    'lines of an import',
    '/client-api/api/subscribers/text_import',
    (length) => ({ subscribers: Array(Math.floor(length / 5)).fill('a@') }),
  ],
  [
    'a name of blanks',
    '/client-api/api/subscribers',
    (length) => ({ email: 'ada@home.example', firstname: `a${' '.repeat(length)}b` }),
  ],
  [
    'an address of dots',
    '/client-api/api/subscribers',
    (length) => ({ email: `${'a.'.repeat(Math.floor(length / 2))}@home.example` }),
  ],
  [
    'unknown fields',
    '/client-api/api/subscribers',
    (length) =>
      Object.fromEntries(Array.from({ length: Math.floor(length / 12) }, (_, i) => [`x${i}`, i])),
  ],
  [
    'names of one object',
    '/client-api/api/exports',
    (length) => ({ all: objectOfDistinctNames(length) }),
  ],
  [
    'names of an import',
    '/client-api/api/subscribers/start_import',
    (length) => ({ columns: rowsOfDistinctNames(length, 20) }),
  ],
  [
    'names of a forecast',
    '/client-api/api/imports/aaaaaaaa/forecast',
    (length) => ({ columns: rowsOfDistinctNames(length, 1) }),
  ],
  [
    'names in different orders',
    '/client-api/api/exports',
    (length) => ({ conditions: rowsOfShuffledNames(length) }),
  ],
  [
    'a document of arrays',
    '/client-api/api/content/preview',
    (length) => ({ document: JSON.parse(deepArray(Math.min(2_000, length))) as unknown }),
  ],
  [
    'a large document',
    '/client-api/api/content/preview',
    () => ({ document: createLargeDocument(480) }),
  ],
  [
    'bulk actions',
    '/client-api/api/subscribers/bulk',
    (length) => ({
      subscribers: Array(Math.floor(length / 12)).fill('aaaaaaaa'),
      action: 'delete',
    }),
  ],
];

const CSV: readonly InputShape[] = [
  ['a cell without end', repeatPiece('x', 'email,name\r\na@b.example,"')],
  ['delimiters', repeatPiece(',', 'email,name\r\n')],
  ['quotes', repeatPiece('"', 'email,name\r\n')],
  ['names of blanks', (length) => `email,name\r\na@b.example,a${' '.repeat(length)}b`],
  ['line breaks', repeatPiece('\r\n', 'email')],
];

const EMAILS: readonly InputShape[] = [
  ['line breaks', repeatPiece('\r\n', 'From: a@b.example\r\n\r\n')],
  ['headers', repeatPiece('X-A: b\r\n')],
  ['a folded header', repeatPiece('\r\n ', 'Subject: a', '\r\n\r\nx')],
  ['encoded words', repeatPiece('=?utf-8?q?a?= ', 'Subject: ', '\r\n\r\nx')],
  [
    'nested parts',
    repeatPiece(
      '--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n',
      'Content-Type: multipart/mixed; boundary=b\r\n\r\n',
    ),
  ],
  ['recipients', repeatPiece('a@b.example,', 'To: ', '\r\n\r\nx')],
  ['opening signs', repeatPiece('<', 'Content-Type: text/html\r\n\r\n')],
  ['blanks', repeatPiece(' ', 'From: mailer-daemon@b.example\r\n\r\n')],
];

/**
 * @param length the approximate length of each input of variable size
 * @param isShort sends each shape of HTML to only one of the calls that accept HTML
 */
export function createHostileInputs(length: number, isShort = false): HostileInput[] {
  return [
    ...HTML_CALLS.flatMap(([call, send], callIndex) =>
      HTML.filter((_, i) => !isShort || i % HTML_CALLS.length === callIndex).map(
        ([shape, text]) => ({
          name: `${call}: ${shape}`,
          send: send(text(length)),
        }),
      ),
    ),
    ...HOSTILE_TEXTS.map(
      ([shape, text]): HostileInput => ({
        name: `preview text: ${shape}`,
        send: ({ call, campaign }) =>
          call('POST', `/client-api/api/campaigns/${campaign}/preview`, {
            editor: 'text',
            plain_text: text(length),
          }),
      }),
    ),
    ...LIQUID.map(
      ([shape, text]): HostileInput => ({
        name: `Liquid: ${shape}`,
        send: ({ callByToken }) =>
          callByToken('POST', '/v2/message/send', {
            from: { email: 'news@tea.example', name: 'Tea' },
            to: { email: 'ada@home.example' },
            subject: 'Tea',
            html: text(length),
            variables: { items: Array(20).fill({ y: 1 }) },
          }),
      }),
    ),
    ...JSON_CALLS.map(
      ([name, url, body]): HostileInput => ({
        name: `JSON: ${name}`,
        send: ({ call }) => call('POST', url, body(length)),
      }),
    ),
    ...CSV.map(
      ([shape, text]): HostileInput => ({
        name: `import a file: ${shape}`,
        send: ({ upload }) =>
          upload(
            '/client-api/api/subscribers/import_file',
            'people.csv',
            Buffer.from(text(length)),
          ),
      }),
    ),
    ...EMAILS.map(
      ([shape, text]): HostileInput => ({
        name: `email to the return path: ${shape}`,
        send: async ({ sendEmail }) => (sendEmail ? sendEmail(Buffer.from(text(length))) : 0),
      }),
    ),
    ...imageInputs(length),
  ];
}

function imageInputs(length: number): HostileInput[] {
  const side = Math.min(9_000, Math.floor(Math.sqrt(length * 60)));
  const frame = () =>
    sharp({ create: { width: side, height: side, channels: 3, background: '#fff' } });
  return [
    {
      name: 'image: a large image of one color',
      send: async ({ upload }) =>
        upload('/client-api/api/images', 'large.png', await frame().png().toBuffer()),
    },
    {
      name: 'image: nothing but a signature',
      send: ({ upload }) =>
        upload('/client-api/api/images', 'bad.png', Buffer.from('\x89PNG\r\n\x1a\nx', 'latin1')),
    },
  ];
}
