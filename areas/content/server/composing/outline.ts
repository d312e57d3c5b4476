// The parts of an email that reviewers compare: the lines of its text and the hosts of its links
// and images.
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { ContentError } from '../personalization/message-source.ts';
import { previewSource, extractReferences } from '../thread.ts';
import type { Email, SendingOptions } from './email.ts';
import { createPreviewSource } from './source.ts';

const MAX_LINES = 500;
const MAX_LINE = 500;
const MAX_HOSTS = 100;

export type EmailOutline = { lines: string[]; hosts: string[] };

/**
 * Returns the outline with sample values instead of a subscriber's; it is empty for an email that
 * cannot be rendered.
 */
export async function createEmailOutline(
  db: Reader,
  email: Email,
  options: SendingOptions,
): Promise<EmailOutline> {
  try {
    const { source, sample } = await createPreviewSource(db, email, options);
    const { html, text } = await previewSource({ ...source, message_id: 0 }, sample, clock.now());
    const references = html === null ? [] : await extractReferences(html);
    const addresses = references
      .filter(({ kind }) => kind === 'link' || kind === 'picture')
      .map(({ address }) => address);
    return {
      lines: splitLines(text ?? ''),
      hosts: listHosts(
        [...addresses, ...extractLinks(text ?? '')],
        new URL(options.publicUrl).host,
      ),
    };
  } catch (error) {
    const isTooSlow = error instanceof AppError && error.code === 'document_too_slow';
    if (!(error instanceof ContentError || isTooSlow)) throw error;
    return { lines: [], hosts: [] };
  }
}

const splitLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim().slice(0, MAX_LINE))
    .filter((line) => line !== '')
    .slice(0, MAX_LINES);

export const extractLinks = (text: string): string[] =>
  text.match(/https?:\/\/[^\s<>"')\]]+/g) ?? [];

/** Omits the installation's own host because every email links to it. */
export function listHosts(addresses: readonly string[], ownHost: string): string[] {
  const hosts = addresses.flatMap((address) => {
    const host = URL.canParse(address) ? new URL(address).host : '';
    return host === '' || host === ownHost ? [] : [host];
  });
  return [...new Set(hosts)].sort().slice(0, MAX_HOSTS);
}
