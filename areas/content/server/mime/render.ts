// Writes one recipient's message into a buffer that the caller reuses. Only the recipient's own
// short strings are allocated.
import { TOKEN_LENGTH } from '#areas/tracking/server/index.ts';
import { computeBase64Length, writeBase64 } from './body-encoding.ts';
import type { CompiledMessage } from './compile-message.ts';
import type { FilterMoment } from '../personalization/filters.ts';
import { DATE_LENGTH, formatDateValue } from './headers.ts';
import type { MergeValues } from '../personalization/merge-tags.ts';
import { computeMaxEncodedLength, writeValue } from './quoted-printable.ts';
import { type BodySegment, normalizeBreaks } from './encoded-body.ts';

export type MessageRecipient = {
  email: string;
  /** `tokens.make(facts)` and `tokens.make(facts, 'messageId')`. */
  token: string;
  message_token: string;
  /** The recipient's columns and fields by merge tag; includes at least `compiled.names`. */
  values: MergeValues;
};

/** Instant of the handoff, formatted once per batch. */
export type RenderMoment = FilterMoment & { date: string };

export function createRenderMoment(now: Date, locale: string): RenderMoment {
  return { now, locale, date: formatDateValue(now) };
}

/** Fixed-width strings of the current recipient, in the order of PLACEHOLDER. */
const fixedTexts = Buffer.alloc(TOKEN_LENGTH * 2 + DATE_LENGTH);
/** Date in `fixedTexts`: the same for all messages of a second. */
let fixedDate = '';
const FIXED_AT = [0, TOKEN_LENGTH, TOKEN_LENGTH * 2] as const;

/**
 * Writes the message from `offset` on, headers first, and returns its end; -1 if the buffer is too
 * small (grow it and render again). The output ends in CRLF and needs no dot-stuffing.
 */
export function render(
  compiled: CompiledMessage,
  recipient: MessageRecipient,
  moment: RenderMoment,
  buffer: Buffer,
  offset: number,
  texts: readonly string[] = renderTexts(compiled, recipient, moment),
): number {
  fillFixed(recipient, moment);
  let position = offset;
  const { segments } = compiled;
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i] as BodySegment;
    if (segment.kind === 'bytes') {
      if (position + segment.bytes.length > buffer.length) return -1;
      buffer.set(segment.bytes, position);
      fillPlaceholders(segment.placeholders, buffer, position);
      position += segment.bytes.length;
    } else if (segment.kind === 'value') {
      const text = texts[segment.slot] as string;
      if (position + computeMaxEncodedLength(text.length) > buffer.length) return -1;
      position = writeValue(buffer, position, text);
    } else if (segment.kind === 'base64') {
      const length = gather(segments, i, recipient.values, texts);
      if (position + computeBase64Length(length) > buffer.length) return -1;
      position = writeBase64(buffer, position, output, length);
      i += segment.count;
    } else if (segment.kind === 'condition') {
      if (!segment.isFor(recipient.values)) i += segment.skip;
    } else {
      const field = texts[segment.slot] as string;
      if (position + field.length * 3 > buffer.length) return -1;
      position += buffer.write(field, position);
    }
  }
  return position;
}

/** A body before it is encoded as a whole. */
let output = Buffer.allocUnsafe(64 * 1024);

/** Collects the body that starts at this segment; returns its length. */
function gather(
  segments: readonly BodySegment[],
  start: number,
  values: MergeValues,
  texts: readonly string[],
): number {
  const { count } = segments[start] as BodySegment & { kind: 'base64' };
  let position = 0;
  for (let i = start + 1; i <= start + count; i++) {
    const segment = segments[i] as BodySegment;
    if (segment.kind === 'bytes') {
      ensureCapacity(position, segment.bytes.length);
      output.set(segment.bytes, position);
      fillPlaceholders(segment.placeholders, output, position);
      position += segment.bytes.length;
    } else if (segment.kind === 'value') {
      const text = normalizeBreaks(texts[segment.slot] as string);
      ensureCapacity(position, text.length * 3);
      position += output.write(text, position);
    } else if (segment.kind === 'condition' && !segment.isFor(values)) i += segment.skip;
  }
  return position;
}

function ensureCapacity(at: number, extraBytes: number): void {
  if (at + extraBytes <= output.length) return;
  const larger = Buffer.allocUnsafe(Math.max(output.length * 2, at + extraBytes));
  output.copy(larger, 0, 0, at);
  output = larger;
}

/** Creates the recipient's strings by slot, once for both the message and its size. */
export function renderTexts(
  compiled: CompiledMessage,
  recipient: MessageRecipient,
  moment: RenderMoment,
): string[] {
  const texts: string[] = [];
  for (const segment of compiled.segments) {
    if (segment.kind === 'value') texts.push(segment.render(recipient.values, moment));
    else if (segment.kind === 'field') texts.push(segment.render(recipient, moment));
  }
  return texts;
}

/** Returns an upper bound of the bytes that `render` writes with these strings. */
export function computeMaxBytes(compiled: CompiledMessage, texts: readonly string[]): number {
  let total = compiled.size;
  for (const segment of compiled.segments) {
    if (segment.kind === 'value')
      total += computeMaxEncodedLength((texts[segment.slot] as string).length);
    else if (segment.kind === 'field') total += (texts[segment.slot] as string).length * 3;
  }
  return total;
}

function fillFixed(recipient: MessageRecipient, moment: RenderMoment): void {
  if (recipient.token.length !== TOKEN_LENGTH || recipient.message_token.length !== TOKEN_LENGTH) {
    throw new RangeError('A token has exactly 40 characters');
  }
  fixedTexts.write(recipient.token, FIXED_AT[0], 'latin1');
  fixedTexts.write(recipient.message_token, FIXED_AT[1], 'latin1');
  if (moment.date === fixedDate) return;
  fixedTexts.write(moment.date, FIXED_AT[2], 'latin1');
  fixedDate = moment.date;
}

function fillPlaceholders(placeholders: Int32Array, buffer: Buffer, start: number): void {
  for (let i = 0; i < placeholders.length; i += 4) {
    const target = start + (placeholders[i] as number);
    const source =
      (FIXED_AT[placeholders[i + 1] as number] as number) + (placeholders[i + 2] as number);
    const width = placeholders[i + 3] as number;
    for (let k = 0; k < width; k++) buffer[target + k] = fixedTexts[source + k] as number;
  }
}
