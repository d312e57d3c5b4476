// What the pieces that instrument HTML share.
import type { HtmlToken } from './html-scanner.ts';
import type { Part } from './instrumenting.ts';
import type { Masked } from './masked-source.ts';

/** A place of the masked source that becomes something else. */
export type Cut = { start: number; end: number; parts: Part[] };

export type Opening = HtmlToken & { type: 'open' };

export function valueOf(masked: Masked, token: Opening, name: string): string | undefined {
  const attribute = token.attributes.find((one) => one.name === name);
  return attribute && masked.text.slice(attribute.start, attribute.end);
}
