// Saved sections of an account. An email contains a copy, so later changes of the saved section do
// not affect the email.
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { MAX_SECTIONS } from '../../shared.ts';
import { parseSection } from '../documents.ts';
import * as store from './saved-sections.sql.ts';

export function listSections(
  db: Reader,
  accountId: number,
  list: ListRequest<'modified' | 'title' | 'created'>,
) {
  return buildListResponse(
    list,
    {
      rows: (slice) => store.listSections(db, accountId, list, slice),
      total: () => store.countSections(db, accountId, list.search),
    },
    presentTitle,
  );
}

export async function readSection(db: Reader, accountId: number, id: number) {
  const row = await store.readSection(db, accountId, id);
  if (!row) throw notFound();
  return presentSection(row);
}

export async function createSection(
  tx: Tx,
  caller: Actor,
  body: { title: string; section: unknown },
) {
  if ((await store.countSections(tx, caller.accountId)) >= MAX_SECTIONS) {
    throw new AppError('too_many_sections', { values: { limit: MAX_SECTIONS } });
  }
  const section = parseSection(body.section);
  const { title } = body;
  const row = { title, section, created_by: caller.userId, at: clock.now() };
  return presentSection(await store.insertSection(tx, caller.accountId, row));
}

export async function updateSection(
  tx: Tx,
  accountId: number,
  id: number,
  body: { title?: string | undefined; section?: unknown },
) {
  const section = body.section === undefined ? undefined : parseSection(body.section);
  const change = { title: body.title, section, at: clock.now() };
  const row = await store.changeSection(tx, accountId, id, change);
  if (!row) throw notFound();
  return presentSection(row);
}

export async function deleteSection(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await store.deleteSection(tx, accountId, id))) throw notFound();
}

function presentTitle(row: store.ListedSectionRow) {
  return {
    id: encodeId('section', row.id),
    title: row.title,
    created: row.created_at.toISOString(),
    modified: row.modified_at.toISOString(),
  };
}

function presentSection(row: store.SavedSectionRow) {
  return { ...presentTitle(row), section: row.section };
}
