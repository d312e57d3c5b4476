// Content of an email as saved by its editor; each save is a revision.
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { type RightsHolder, requireRight } from '#platform/server/http/rights.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import type { ComposedContent } from '../../composing-contract.ts';
import { type ContentInput, isSaved, readContent, saveContent } from '../contents.ts';
import type { Email, EmailAdapter } from './email.ts';

export async function readComposed(db: Reader, email: Email): Promise<ComposedContent> {
  const { accountId, content: ref, revision } = email;
  const content = ref && (await readContent(db, accountId, ref));
  return {
    editor: (content?.kind ?? null) as ComposedContent['editor'],
    document: (content?.document ?? null) as ComposedContent['document'],
    html: content?.html ?? null,
    plain_text: content?.plain_text ?? null,
    inline_css: content?.inline_css ?? false,
    content_revision: ref?.revision ?? null,
    revision,
    saved_at: content?.created_at.toISOString() ?? null,
  };
}

/**
 * Saves the content as a new revision of the email. Saving identical content again, after a lost
 * response or from the copy in the browser, creates no revision. @throws stale_revision,
 * editor_switch
 */
export async function saveComposed(
  tx: Tx,
  adapter: EmailAdapter,
  caller: Actor & RightsHolder,
  id: number,
  save: { revision: number | undefined; content: ContentInput; maySwitchEditor: boolean },
): Promise<ComposedContent> {
  const { revision, content } = save;
  const email = await adapter.lock(tx, caller.accountId, id);
  if (email.rightToChange) requireRight(caller, email.rightToChange);
  const isOlder = revision !== undefined && revision < email.revision;
  if (isOlder && email.content && (await isSaved(tx, caller.accountId, email.content, content))) {
    return readComposed(tx, email);
  }
  if (revision !== email.revision) {
    throw new AppError('stale_revision', { extra: { revision: email.revision } });
  }
  const isSwitch = email.contentKind !== null && email.contentKind !== content.kind;
  if (isSwitch && !save.maySwitchEditor) {
    throw new AppError('editor_switch', { extra: { editor: email.contentKind } });
  }
  const contentId = email.content?.content_id ?? null;
  const ref = await saveContent(tx, caller.accountId, contentId, content, caller.userId);
  await adapter.saveContent(tx, email, { content: ref, kind: content.kind });
  return readComposed(tx, await adapter.find(tx, caller.accountId, id));
}
