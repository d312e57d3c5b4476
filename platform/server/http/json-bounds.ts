// How deep a JSON body may nest and how many values it may hold, counted before it is parsed: a parser and a validator
// that recurse would overflow the stack, and each value costs validation time.
import { AppError, invalid } from '../errors.ts';
import { fieldIssue } from './field-errors.ts';

/** The email documents and condition trees of the product nest less than 20 levels. */
const MAX_JSON_DEPTH = 64;
/** Ten thousand people with twenty values each stay below. */
const MAX_JSON_VALUES = 250_000;

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/** @throws AppError invalid where a bound is passed; what is no JSON is left to the parser */
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

/** Where the string that begins at a quotation mark ends; a jump, so that attachments of megabytes cost nothing. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return json.length;
}
