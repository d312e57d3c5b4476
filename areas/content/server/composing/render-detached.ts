// Provides envelope and content to render documents that belong to no email: templates, saved
// sections and drafts.
import { readAccount } from '#areas/accounts/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { DraftContent } from '../content-source.ts';
import type { Email } from './email.ts';

type DetachedEmail = Pick<Email, 'accountId' | 'content' | 'envelope'>;

/**
 * Creates an email that no area owns: it is never sent, so sender and postal address are not
 * required.
 */
export async function createDetachedEmail(
  db: Reader,
  accountId: number,
  input: { subject?: string | undefined; preheader?: string | undefined; language?: string | null },
): Promise<DetachedEmail> {
  const account = await readAccount(db, accountId);
  return {
    accountId,
    content: undefined,
    envelope: {
      kind: 'marketing',
      subject: input.subject ?? '',
      preheader: input.preheader ?? '',
      from: { name: account.title, email: '' },
      reply_to: '',
      language: input.language ?? null,
    },
  };
}

export const toDraftContent = (document: unknown): DraftContent => ({
  kind: 'editor',
  document,
  html: null,
  plain_text: null,
  inline_css: false,
});
