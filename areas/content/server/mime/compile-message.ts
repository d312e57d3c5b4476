// Compiles a message once for all recipients: subject, sender, HTML, text, links and headers become
// byte segments, which render.ts fills per recipient in a few microseconds.
import { createHash } from 'node:crypto';
import { parseSenderDomain } from '#areas/domains/server/index.ts';
import { TOKEN_LENGTH } from '#areas/tracking/server/index.ts';
import { LOCALE } from '#platform/languages.ts';
import { checkDepth, checkSize } from '../checks/check-content.ts';
import { instrumentHtml } from '../html/instrument-html.ts';
import { deriveText, instrumentText } from '../html/instrument-text.ts';
import {
  type Instrumenting,
  isConstantLine,
  type MessagePart,
  startInstrumenting,
  type ValuePart,
} from '../html/instrumenting.ts';
import {
  type AttachedPart,
  ContentError,
  type ContentFinding,
  type MessageLink,
  type MessageSource,
} from '../personalization/message-source.ts';
import { selectEncoding, computeBase64Length } from './body-encoding.ts';
import { type BodySegment, SegmentWriter, sumSizes } from './encoded-body.ts';
import {
  formatAddressField,
  formatAddressListField,
  DATE_LENGTH,
  formatHeaderAddress,
  toOneLine,
  encodePhrase,
  formatTextField,
} from './headers.ts';

export type CompiledMessage = {
  segments: readonly BodySegment[];
  /** Rows of the table `links`; compiling the same source again returns the same rows. */
  links: readonly MessageLink[];
  /** Names of the recipient values used in rendering, in alphabetical order. */
  names: readonly string[];
  /** Constant bytes: about the size of a rendered message. */
  size: number;
  /** The locale of filters and month names. */
  locale: string;
  /** Subject and preheader of one recipient, as text. */
  lines: { subject: ValuePart; preheader: ValuePart };
  /** Domain of the sender's address: used in the Message-ID and for the DKIM signature. */
  domain: string;
};

/**
 * Compiles content that is not frozen yet. @throws ContentError as `compileMessage`, and if its
 * HTML is nested too deeply
 */
export function compileNew(source: MessageSource): CompiledMessage {
  return compile(source, { isNew: true });
}

/**
 * Returns the links of `compileNew` without its bytes; generating them would double the time.
 * @throws the errors of `compileNew`
 */
export function listLinks(source: MessageSource): readonly MessageLink[] {
  return instrument(source, { isNew: true }).instrumenting.links;
}

/**
 * Compiles frozen content. The depth of its HTML was measured before it was frozen, so senders and
 * readers do not wait for another measurement.
 * @throws ContentError for content with errors (invalid merge tags, scripts …)
 */
export function compileMessage(source: MessageSource): CompiledMessage {
  return compile(source, { isNew: false });
}

/** Whether the content is new, so that the depth of its HTML must still be measured. */
type Age = { isNew: boolean };

function compile(source: MessageSource, age: Age): CompiledMessage {
  const { instrumenting, bodies } = instrument(source, age);
  const writer = new SegmentWriter();
  writeHeaders(writer, instrumenting);
  writeMixed(writer, source, bodies);
  const segments = writer.finish();
  return {
    segments,
    links: instrumenting.links,
    names: [...instrumenting.names].sort(),
    size: computeEncodedSize(segments),
    locale: LOCALE[source.language],
    lines: { subject: instrumenting.subject, preheader: instrumenting.preheader },
    domain: parseSenderDomain(source.from.email),
  };
}

function instrument(
  source: MessageSource,
  age: Age,
): { instrumenting: Instrumenting; bodies: Bodies } {
  const sizeFindings = checkSize(source);
  if (sizeFindings.length > 0) throw new ContentError(sizeFindings);
  const instrumenting = startInstrumenting(source);
  const bodies = instrumentBodies(instrumenting, age);
  const errors = listErrors(instrumenting);
  if (errors.length > 0) throw new ContentError(errors);
  return { instrumenting, bodies };
}

function computeEncodedSize(segments: readonly BodySegment[]): number {
  return segments.reduce(
    (total, segment) =>
      segment.kind === 'base64' ? total + computeBase64Length(segment.size) - segment.size : total,
    sumSizes(segments),
  );
}

function listErrors(instrumenting: Instrumenting): ContentFinding[] {
  return instrumenting.findings.filter((finding) => finding.severity === 'error');
}

type Bodies = { html: MessagePart[] | undefined; text: MessagePart[] };

function instrumentBodies(instrumenting: Instrumenting, age: Age): Bodies {
  const { html, text } = createContentBodies(instrumenting, age);
  const { note } = instrumenting.source;
  return { html, text: note ? [`${note}\n\n`, ...text] : text };
}

function createContentBodies(instrumenting: Instrumenting, { isNew }: Age): Bodies {
  const { html, text } = instrumenting.source;
  if (html === null || html.trim() === '')
    return { html: undefined, text: instrumentText(instrumenting, text ?? '') };
  const instrumentedHtml = instrumentHtml(instrumenting, html);
  if (isNew) instrumenting.findings.push(...checkDepth(html, instrumentedHtml));
  // Content with errors is not sent, and deriving its text could take long.
  if (listErrors(instrumenting).length > 0) return { html: instrumentedHtml.parts, text: [] };
  const hasOwnText = text !== null && text.trim() !== '';
  return {
    html: instrumentedHtml.parts,
    text: hasOwnText
      ? instrumentText(instrumenting, text)
      : deriveText(instrumenting, instrumentedHtml),
  };
}

function writeHeaders(writer: SegmentWriter, instrumenting: Instrumenting): void {
  const { source } = instrumenting;
  writer.writeRaw('Date: ');
  writer.writeRawPlaceholder('date', DATE_LENGTH);
  writer.writeRaw('\r\nMessage-ID: <');
  writer.writeRawPlaceholder('messageToken', TOKEN_LENGTH);
  writer.writeRaw(`@${parseSenderDomain(source.from.email)}>\r\n`);
  writer.writeRaw(formatAddressField('From', source.from));
  const { addressees } = source;
  if (addressees && addressees.to.length + addressees.cc.length > 0) {
    if (addressees.to.length > 0) writer.writeRaw(formatAddressListField('To', addressees.to));
    if (addressees.cc.length > 0) writer.writeRaw(formatAddressListField('Cc', addressees.cc));
  } else writeRecipient(writer, source);
  if (source.reply_to !== '' && source.reply_to !== source.from.email) {
    const { reply_to: email, reply_to_name: name = '' } = source;
    writer.writeRaw(formatAddressField('Reply-To', { name, email }));
  }
  writeSubject(writer, instrumenting);
  if (source.kind === 'marketing') writeListHeaders(writer, source);
  if (source.is_automatic) writer.writeRaw('Auto-Submitted: auto-generated\r\n');
  for (const { name, value } of source.headers ?? []) writer.writeRaw(formatTextField(name, value));
  if (source.is_submitted) {
    writer.writeField(({ values }) => {
      const id = values[SUBMITTED.messageId];
      return id ? formatTextField('X-Original-Message-ID', String(id)) : '';
    });
  }
  const feedback = `m${source.message_id}:a${source.account_id}:${source.kind}:sendloom`;
  writer.writeRaw(`Feedback-ID: ${feedback}\r\nMIME-Version: 1.0\r\n`);
}

/**
 * Values of one copy of a submitted email. They are not part of the content, so submissions with
 * identical content share one message, which is compiled once.
 */
export const SUBMITTED = {
  /** Display name of the recipient in To. */
  name: 'submitted_name',
  /** Message-ID as submitted; the sent email has its own. */
  messageId: 'submitted_message_id',
} as const;

function writeRecipient(writer: SegmentWriter, source: MessageSource): void {
  if (!source.is_submitted)
    return writer.writeField(({ email }) => formatAddressField('To', { email }));
  writer.writeField(({ email, values }) =>
    formatAddressField('To', { email, name: String(values[SUBMITTED.name] ?? '') }),
  );
}

function writeSubject(writer: SegmentWriter, instrumenting: Instrumenting): void {
  const { subject, source } = instrumenting;
  if (isConstantLine(source.subject)) {
    writer.writeRaw(formatTextField('Subject', source.subject));
  } else {
    writer.writeField(({ values }, moment) =>
      formatTextField('Subject', subject.render(values, moment)),
    );
  }
}

/**
 * Writes the headers of RFC 2369, 2919 and 8058 (which requires https); the token is part of both
 * unsubscribe methods.
 */
function writeListHeaders(writer: SegmentWriter, source: MessageSource): void {
  writer.writeRaw(`List-Unsubscribe: <${source.public_url}/u/`);
  writer.writeRawPlaceholder('token', TOKEN_LENGTH);
  if (source.unsubscribe_mailbox !== '') {
    const mailbox = createMailtoAddress(source.unsubscribe_mailbox);
    writer.writeRaw(`>,\r\n <mailto:${mailbox}?subject=unsubscribe%20`);
    writer.writeRawPlaceholder('token', TOKEN_LENGTH);
  }
  writer.writeRaw('>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n');
  const id = `<a${source.account_id}.${parseSenderDomain(source.from.email)}>`;
  const name = toOneLine(source.company).trim();
  writer.writeRaw(`List-Id: ${name === '' ? '' : `${encodePhrase(name, 9)}\r\n `}${id}\r\n`);
  writer.writeRaw('Precedence: bulk\r\n');
}

function createMailtoAddress(email: string): string {
  return encodeURIComponent(formatHeaderAddress(email))
    .replaceAll('%40', '@')
    .replaceAll('%2B', '+');
}

/** Contains "=_", which no encoded body can contain. */
function createBoundary(source: MessageSource): string {
  const hash = createHash('sha256')
    .update(source.subject)
    .update(source.html ?? '');
  return `=_${hash.digest('hex').slice(0, 24)}`;
}

/** Writes a part and its header fields. Returns the column at the end. */
function writePart(
  writer: SegmentWriter,
  type: 'plain' | 'html',
  parts: readonly MessagePart[],
): number {
  const encoding = selectEncoding(parts);
  writer.writeRaw(`Content-Type: text/${type}; charset=utf-8\r\n`);
  writer.writeRaw(`Content-Transfer-Encoding: ${encoding}\r\n\r\n`);
  return writer.writeBody(parts, encoding);
}

/** Writes the bodies followed by the attachments. */
function writeMixed(writer: SegmentWriter, source: MessageSource, bodies: Bodies): void {
  const attachments = listPartsAt(source, undefined);
  if (attachments.length === 0) return writeBodies(writer, source, bodies);
  const boundary = `${createBoundary(source)}m`;
  writer.writeRaw(
    `Content-Type: multipart/mixed;\r\n boundary="${boundary}"\r\n\r\n--${boundary}\r\n`,
  );
  writeBodies(writer, source, bodies);
  writeParts(writer, attachments, boundary);
  writer.writeRaw(`\r\n--${boundary}--\r\n`);
}

const listPartsAt = ({ attachments = [] }: MessageSource, position: AttachedPart['place']) =>
  attachments.filter((attachment) => attachment.place === position);

function writeParts(writer: SegmentWriter, parts: readonly AttachedPart[], boundary: string): void {
  for (const { name, type, base64, place, content_id: id } of parts) {
    writer.writeRaw(`\r\n--${boundary}\r\nContent-Type: ${type}\r\n`);
    // An embedded email is never encoded (RFC 2046, 5.2.1).
    const isEmail = type === 'message/rfc822';
    writer.writeRaw(`Content-Transfer-Encoding: ${isEmail ? '7bit' : 'base64'}\r\n`);
    if (id !== undefined) writer.writeRaw(`Content-ID: <${id}>\r\n`);
    if (place !== 'alternative') {
      const asciiName = name.replace(/[^\x20-\x7e]|[\\"]/g, '_');
      writer.writeRaw(
        `Content-Disposition: ${place ? 'inline' : 'attachment'}; filename="${asciiName}";\r\n` +
          ` filename*=utf-8''${encodeName(name)}\r\n`,
      );
    }
    writer.writeRaw('\r\n');
    if (isEmail) writer.writeRaw(Buffer.from(base64, 'base64').toString('latin1'));
    else writer.writeRaw(base64.replace(/.{1,76}/g, '$&\r\n'));
  }
}

/** Encodes a name by RFC 8187, which escapes more characters than `encodeURIComponent`. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function writeBodies(writer: SegmentWriter, source: MessageSource, { html, text }: Bodies): void {
  const alternatives = listPartsAt(source, 'alternative');
  if (html === undefined && alternatives.length === 0) {
    if (writePart(writer, 'plain', text) > 0) writer.writeRaw('\r\n');
    return;
  }
  const boundary = createBoundary(source);
  writer.writeRaw(`Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n\r\n`);
  writer.writeRaw(`--${boundary}\r\n`);
  writePart(writer, 'plain', text);
  // Clients show the last alternative that they support; clients that support AMP or calendars find
  // them at any position.
  writeParts(writer, alternatives.filter(isBeforeHtml), boundary);
  if (html !== undefined) {
    writer.writeRaw(`\r\n--${boundary}\r\n`);
    writeRelated(writer, source, html);
  }
  writeParts(
    writer,
    alternatives.filter((alternative) => !isBeforeHtml(alternative)),
    boundary,
  );
  writer.writeRaw(`\r\n--${boundary}--\r\n`);
}

/** Returns true for AMP, which precedes the HTML; an invitation comes last. */
const isBeforeHtml = ({ type }: AttachedPart) => type.startsWith('text/x-amp-html');

/** Writes the HTML and its inline parts (RFC 2387). */
function writeRelated(
  writer: SegmentWriter,
  source: MessageSource,
  html: readonly MessagePart[],
): void {
  const relatedParts = listPartsAt(source, 'related');
  if (relatedParts.length === 0) {
    writePart(writer, 'html', html);
    return;
  }
  const boundary = `${createBoundary(source)}r`;
  writer.writeRaw(
    `Content-Type: multipart/related; type="text/html";\r\n boundary="${boundary}"\r\n\r\n--${boundary}\r\n`,
  );
  writePart(writer, 'html', html);
  writeParts(writer, relatedParts, boundary);
  writer.writeRaw(`\r\n--${boundary}--\r\n`);
}
