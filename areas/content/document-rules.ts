// Validation of documents: shape, limits, ids, colors and URLs. It does not use zod, so that the
// editor can use the same rules. Each error names the part of the document.
import { isAddress } from '#platform/rich-text.ts';
import {
  BLOCK_TYPES,
  type BlockType,
  DOCUMENT_LIMITS,
  DOCUMENT_VERSION,
  type EmailDocument,
  FIELD_OPERATORS,
  NETWORKS,
  SOCIAL_STYLES,
} from './document.ts';
import { FONTS } from './fonts.ts';
import { PICK_FALLBACKS, PICKS } from './shop-names.ts';

export type DocumentProblemCode =
  | 'document_newer'
  | 'document_malformed'
  | 'document_too_large'
  | 'document_address'
  | 'document_id_twice';
/**
 * `place` is a path into the JSON: `sections.0.columns.1.blocks.2.href`. `node` is the nearest id.
 * These problems are part of the API: errors of calls that store a document contain them.
 */
export type DocumentProblem = { code: DocumentProblemCode; place: string; node: string | null };

type ProblemReporter = (code: DocumentProblemCode, path: string) => void;
type Check = (value: unknown, path: string, report: ProblemReporter) => void;
type RecordShape = Record<string, Check>;

const MAX_PROBLEMS = 50;

/** Returns the problems of a document; the renderer accepts a document that has none. */
export function findDocumentProblems(value: unknown): DocumentProblem[] {
  const version = isRecord(value) ? value.version : undefined;
  if (typeof version === 'number' && version > DOCUMENT_VERSION) {
    return [{ code: 'document_newer', place: 'version', node: null }];
  }
  const problems: DocumentProblem[] = [];
  const report: ProblemReporter = (code, path) => {
    if (problems.length < MAX_PROBLEMS)
      problems.push({ code, place: path, node: findNodeId(value, path) });
  };
  checkDocument(value, '', report);
  if (problems.length === 0) checkWhole(value as EmailDocument, report);
  return problems;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function findNodeId(value: unknown, path: string): string | null {
  let node: string | null = null;
  let current = value;
  for (const step of path.split('.')) {
    if (typeof current !== 'object' || current === null) break;
    current = (current as Record<string, unknown>)[step];
    if (isRecord(current) && typeof current.id === 'string') node = current.id;
  }
  return node;
}

function fail(report: ProblemReporter, path: string): void {
  report('document_malformed', path);
}

const number =
  (min: number, max: number): Check =>
  (value, path, report) => {
    if (typeof value !== 'number' || !(value >= min && value <= max)) fail(report, path);
  };

const boundedText =
  (max: number): Check =>
  (value, path, report) => {
    if (typeof value !== 'string') fail(report, path);
    else if (value.length > max) report('document_too_large', path);
  };

const oneOf =
  (...values: readonly unknown[]): Check =>
  (value, path, report) => {
    if (!values.includes(value)) fail(report, path);
  };

const pattern =
  (form: RegExp): Check =>
  (value, path, report) => {
    if (typeof value !== 'string' || !form.test(value)) fail(report, path);
  };

const orNull =
  (check: Check): Check =>
  (value, path, report) => {
    if (value !== null) check(value, path, report);
  };

const list =
  (item: Check, max: number, min = 0): Check =>
  (value, path, report) => {
    if (!Array.isArray(value) || value.length < min) return fail(report, path);
    if (value.length > max) return report('document_too_large', path);
    for (const [i, entry] of value.entries()) item(entry, `${path}.${i}`, report);
  };

/** Requires exactly these keys; those in `optional` may be absent. */
const record =
  (shape: RecordShape, optional: RecordShape = {}): Check =>
  (value, path, report) => {
    if (!isRecord(value)) return fail(report, path);
    const toPath = (key: string) => (path === '' ? key : `${path}.${key}`);
    for (const [key, check] of Object.entries(shape)) check(value[key], toPath(key), report);
    for (const [key, entry] of Object.entries(value)) {
      if (Object.hasOwn(shape, key)) continue;
      const check = Object.hasOwn(optional, key) ? optional[key] : undefined;
      if (check === undefined) fail(report, toPath(key));
      else if (entry !== undefined) check(entry, toPath(key), report);
    }
  };

const flag = oneOf(true, false);
const id = pattern(/^[\w-]{1,32}$/);
const color = pattern(/^#[0-9a-f]{6}$/i);
const font = oneOf(...FONTS.map(({ name }) => name));
const weight = oneOf(100, 200, 300, 400, 500, 600, 700, 800, 900);
const line = boundedText(DOCUMENT_LIMITS.line);
const rich = boundedText(DOCUMENT_LIMITS.rich);
const align = oneOf('start', 'center', 'end');
const pixels = number(0, 400);
const percentage = number(5, 100);
const size = number(8, 96);
const address: Check = (value, path, report) => {
  if (typeof value !== 'string') fail(report, path);
  else if (value.length > DOCUMENT_LIMITS.address) report('document_too_large', path);
  else if (!isAddress(value)) report('document_address', path);
};
const padding = record({ top: pixels, end: pixels, bottom: pixels, start: pixels });
const border = record({
  width: number(0, 20),
  style: oneOf('solid', 'dashed', 'dotted'),
  color: color,
});
const image = record({
  src: pattern(/^(|https?:\/\/[^\s"'<>]{1,2000}|\/[^\s"'<>]{1,500})$/i),
  alt: boundedText(DOCUMENT_LIMITS.line),
  width: orNull(number(1, 20_000)),
  height: orNull(number(1, 20_000)),
});
const button = record(
  {},
  {
    background: color,
    color: color,
    radius: pixels,
    border,
    is_wide: flag,
    dark_background: color,
    dark_color: color,
  },
);
/** Limited to the years for which all calendar libraries agree; '' for none. */
const wallTime = pattern(
  /^$|^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d$/,
);
const zone = pattern(/^[A-Za-z0-9_+/-]{1,64}$/);
const link = record({ label: line, href: address });

const BLOCK_SHAPES: Record<BlockType, RecordShape> = {
  heading: { level: oneOf(1, 2, 3), html: rich },
  text: { html: rich },
  image: { image: image, href: address, width: percentage },
  button: { label: line, href: address, button },
  divider: { line: border, width: percentage },
  spacer: { height: number(1, 400), mobile_height: orNull(number(0, 400)) },
  social: {
    links: list(record({ network: oneOf(...NETWORKS), href: address }), DOCUMENT_LIMITS.links),
    look: oneOf(...SOCIAL_STYLES),
    shape: oneOf('round', 'soft', 'square'),
    icon_size: number(16, 64),
    gap: number(0, 64),
  },
  menu: {
    items: list(link, DOCUMENT_LIMITS.links),
    separator: boundedText(10),
    gap: number(0, 100),
  },
  video: { href: address, poster: image, width: percentage },
  product: {
    layout: oneOf('stacked', 'beside'),
    image: image,
    name: line,
    price: line,
    old_price: line,
    html: rich,
    href: address,
    label: line,
    button,
  },
  coupon: { title: line, code: line, html: rich, href: address, label: line, button },
  event: {
    title: line,
    starts: wallTime,
    ends: wallTime,
    zone,
    place: line,
  },
  countdown: {
    ends: wallTime,
    zone,
    ended: boundedText(DOCUMENT_LIMITS.countdown),
    href: address,
    width: percentage,
    digits: color,
    boxes: color,
  },
  html: { html: boundedText(DOCUMENT_LIMITS.html) },
  table: {
    rows: list(list(rich, DOCUMENT_LIMITS.cells, 1), DOCUMENT_LIMITS.rows, 1),
    has_header: flag,
    aligns: list(align, DOCUMENT_LIMITS.cells, 1),
    is_striped: flag,
    line: border,
  },
  header: { image: image, href: address, width: number(16, 800) },
  footer: { html: rich, has_address: flag, unsubscribe_label: line, browser_label: line },
};

/** An encoded id; '' for none. */
const encodedId = pattern(/^[A-Za-z0-9]{0,32}$/);

/** Name of a variable; '' for none. */
const variableName = pattern(/^(?:[A-Za-z_][\w]{0,49}(?:\.[A-Za-z_][\w]{0,49}){0,4})?$/);

/** Fields added later, which older documents lack. */
const LATER_KEYS: { [T in BlockType]?: Record<string, Check> } = {
  footer: { preferences_label: line },
  product: { pick: oneOf(...PICKS), store: encodedId, if_none: oneOf(...PICK_FALLBACKS) },
  coupon: { pool: encodedId },
  table: { each: variableName },
};

const blockStyle = record(
  {},
  {
    font,
    size,
    line_height: number(0.8, 3),
    weight,
    color: color,
    align,
    padding,
    background: color,
    border,
    radius: pixels,
  },
);
const hideOn = oneOf(null, 'mobile', 'desktop');
const mobile = record({}, { align, padding, size });
const darkOfBlock = record({}, { color: color, background: color });

const BLOCKS = Object.fromEntries(
  BLOCK_TYPES.map((type) => [
    type,
    record(
      {
        id,
        type: oneOf(type),
        style: blockStyle,
        mobile,
        dark: darkOfBlock,
        hide_on: hideOn,
        ...BLOCK_SHAPES[type],
      },
      LATER_KEYS[type],
    ),
  ]),
) as Record<BlockType, Check>;

const block: Check = (value, path, report) => {
  const type = isRecord(value)
    ? BLOCK_TYPES.find((blockType) => blockType === value.type)
    : undefined;
  if (type === undefined) fail(report, `${path}.type`);
  else BLOCKS[type](value, path, report);
};

const membership = oneOf('in', 'not_in');
const RULES: Record<string, Check> = {
  group: record({ kind: oneOf('group'), operator: membership, group: boundedText(64) }),
  segment: record({ kind: oneOf('segment'), operator: membership, segment: boundedText(64) }),
  field: record({
    kind: oneOf('field'),
    field: pattern(/^[\p{L}_][\p{L}\p{N}_-]{0,99}$/u),
    operator: oneOf(...FIELD_OPERATORS),
    value: line,
  }),
};
const rule: Check = (value, path, report) => {
  const kind = isRecord(value) && typeof value.kind === 'string' ? value.kind : '';
  const check = Object.hasOwn(RULES, kind) ? RULES[kind] : undefined;
  if (check === undefined) fail(report, `${path}.kind`);
  else check(value, path, report);
};

const column = record({
  id,
  ratio: number(1, 12),
  background: orNull(color),
  padding,
  radius: pixels,
  vertical: oneOf('top', 'middle', 'bottom'),
  blocks: list(block, DOCUMENT_LIMITS.blocks),
});

const section = record({
  id,
  columns: list(column, DOCUMENT_LIMITS.columns, 1),
  background: orNull(color),
  outer_background: orNull(color),
  background_image: orNull(image),
  padding,
  border: orNull(border),
  radius: pixels,
  gap: number(0, 100),
  stacking: oneOf('stack', 'reverse', 'keep'),
  mobile_padding: orNull(padding),
  hide_on: hideOn,
  dark: record({}, { background: color, outer_background: color }),
  condition: orNull(
    record({ match: oneOf('all', 'any'), rules: list(rule, DOCUMENT_LIMITS.rules, 1) }),
  ),
});

const settings = record({
  width: number(320, 800),
  direction: oneOf('auto', 'ltr', 'rtl'),
  preheader: boundedText(255),
  background: color,
  content_background: color,
  text: record({ font, size, line_height: number(0.8, 3), color: color }),
  heading: record({
    font,
    weight,
    line_height: number(0.8, 3),
    color: color,
    sizes: list(size, 3, 3),
  }),
  link: record({ color: color, is_underlined: flag }),
  button: record({
    font,
    size,
    weight,
    background: color,
    color: color,
    radius: pixels,
    padding_x: number(0, 100),
    padding_y: number(0, 60),
  }),
  gutter: number(0, 100),
  dark: orNull(
    record({
      background: color,
      content_background: color,
      text: color,
      heading: color,
      link: color,
      button_background: color,
      button_text: color,
    }),
  ),
});

/** Validates a single section, as in saved sections. */
export function findSectionProblems(value: unknown): DocumentProblem[] {
  const problems: DocumentProblem[] = [];
  section(value, '', (code, path) => problems.push({ code, place: path, node: null }));
  return problems.slice(0, MAX_PROBLEMS);
}

const checkDocument = record({
  version: oneOf(DOCUMENT_VERSION),
  settings,
  sections: list(section, DOCUMENT_LIMITS.sections),
});

/**
 * Validates rules across nodes: ids are unique, each row of a table has as many cells as the table
 * has columns, and the number of blocks is limited.
 */
function checkWhole(document: EmailDocument, report: ProblemReporter): void {
  const ids = new Set<string>();
  const checkId = (id: string, path: string) => {
    if (ids.has(id)) report('document_id_twice', path);
    ids.add(id);
  };
  let blocks = 0;
  for (const [s, { id: sectionId, columns }] of document.sections.entries()) {
    checkId(sectionId, `sections.${s}`);
    for (const [c, entry] of columns.entries()) {
      checkId(entry.id, `sections.${s}.columns.${c}`);
      for (const [b, each] of entry.blocks.entries()) {
        const path = `sections.${s}.columns.${c}.blocks.${b}`;
        checkId(each.id, path);
        blocks++;
        if (each.type !== 'table') continue;
        const width = each.aligns.length;
        if (each.rows.some((row) => row.length !== width)) fail(report, `${path}.rows`);
      }
    }
  }
  if (blocks > DOCUMENT_LIMITS.blocks) report('document_too_large', 'sections');
}
