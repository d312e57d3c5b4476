// Bounds on nesting and number of values of a JSON body, counted before it is parsed: a recursive
// parser or validator would overflow the stack, and each value costs validation time.
import { AppError, invalid } from '../errors.ts';
import { fieldIssue } from './field-errors.ts';

/** The product's email documents and condition trees nest less than 20 levels. */
const MAX_JSON_DEPTH = 64;
/** Ten thousand subscribers with twenty values each are below this. */
const MAX_JSON_VALUES = 250_000;

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/** @throws AppError invalid if a bound is exceeded; malformed JSON is left to the parser */
export function checkJsonBounds(json: string): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (OPENING.has(code)) {
      depth += 1;
      values += 1;
    } else if (CLOSING.has(code)) depth -= 1;
    else if (code === COMMA) values += 1;
    if (depth > MAX_JSON_DEPTH) throw refused('errors.fields.deep', MAX_JSON_DEPTH);
    if (values > MAX_JSON_VALUES) throw refused('errors.fields.many', MAX_JSON_VALUES);
  }
}

const refused = (issue: string, max: number): AppError =>
  invalid({ body: [fieldIssue(issue, { max })] });

/**
 * The end of the string that starts at a quotation mark; skipped in one step, so that attachments
 * of megabytes cost nothing.
 */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return json.length;
}
