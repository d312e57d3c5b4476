// Types and a helper shared by the modules that instrument HTML.
import type { HtmlToken } from '../../html-scanner.ts';
import type { MessagePart } from './instrumenting.ts';
import type { MaskedSource } from './masked-source.ts';

/** A range of the masked source and its replacement. */
export type HtmlCut = { start: number; end: number; parts: MessagePart[] };

export type OpeningTag = HtmlToken & { type: 'open' };

export function readAttribute(
  masked: MaskedSource,
  token: OpeningTag,
  name: string,
): string | undefined {
  const attribute = token.attributes.find((attribute) => attribute.name === name);
  return attribute && masked.text.slice(attribute.start, attribute.end);
}
