// Folders and labels, which every user of the account can create, change and delete.
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { calls, type Folder, type Label } from '../contract.ts';
import { type ItemKind, type LabelColor, MAX_FOLDERS, MAX_LABELS } from '../shared.ts';
import * as store from './folders.sql.ts';
import { emptyFolder } from './items.sql.ts';

export const folderRoutes: Route[] = createRoutes('folders', calls, {
  listFolders: async ({ tx, caller, query }) =>
    (await store.listFolders(tx, caller.accountId, query.kind)).map(presentFolder),
  createFolder: ({ tx, caller, body }) => createFolder(tx, caller.accountId, body.kind, body.title),
  renameFolder: ({ tx, caller, params, body }) =>
    renameFolder(tx, caller.accountId, params.id, body.title),
  deleteFolder: ({ tx, caller, params }) => deleteFolder(tx, caller.accountId, params.id),
  listLabels: async ({ tx, caller }) =>
    (await store.listLabels(tx, caller.accountId)).map(presentLabel),
  createLabel: ({ tx, caller, body }) => createLabel(tx, caller.accountId, body),
  updateLabel: ({ tx, caller, params, body }) => updateLabel(tx, caller.accountId, params.id, body),
  deleteLabel: async ({ tx, caller, params }) => {
    if (!(await store.deleteLabel(tx, caller.accountId, params.id))) throw notFound();
  },
});

async function createFolder(
  tx: Tx,
  accountId: number,
  kind: ItemKind,
  title: string,
): Promise<Folder> {
  const folders = await store.listFolders(tx, accountId, kind);
  if (folders.length >= MAX_FOLDERS) throw new AppError('too_many_folders');
  const row = await store.insertFolder(
    tx,
    accountId,
    { kind, ...toTitleColumns(title) },
    clock.now(),
  );
  if (!row) throw createFolderConflict();
  return presentFolder(row);
}

async function renameFolder(tx: Tx, accountId: number, id: number, title: string): Promise<Folder> {
  const folder = await store.lockFolder(tx, accountId, id);
  if (!folder) throw notFound();
  const folders = await store.listFolders(tx, accountId, folder.kind as ItemKind);
  const { title_key: key } = toTitleColumns(title);
  if (folders.some((folder) => folder.id !== id && folder.title_key === key))
    throw createFolderConflict();
  return presentFolder(
    await store.updateFolder(tx, accountId, id, toTitleColumns(title), clock.now()),
  );
}

async function deleteFolder(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await store.lockFolder(tx, accountId, id))) throw notFound();
  await emptyFolder(tx, accountId, id);
  await store.deleteFolder(tx, accountId, id);
}

type LabelSettings = { title: string; color: LabelColor };

async function createLabel(
  tx: Tx,
  accountId: number,
  { title, color }: LabelSettings,
): Promise<Label> {
  const labels = await store.listLabels(tx, accountId);
  if (labels.length >= MAX_LABELS) throw new AppError('too_many_labels');
  const row = await store.insertLabel(
    tx,
    accountId,
    { ...toTitleColumns(title), color },
    clock.now(),
  );
  if (!row) throw labelTaken();
  return presentLabel(row);
}

async function updateLabel(
  tx: Tx,
  accountId: number,
  id: number,
  { title, color }: LabelSettings,
): Promise<Label> {
  const changes = { ...toTitleColumns(title), color };
  const labels = await store.listLabels(tx, accountId);
  const hasTitle = (label: store.LabelRow) => label.title_key === changes.title_key;
  if (labels.some((label) => label.id !== id && hasTitle(label))) throw labelTaken();
  const row = await store.updateLabel(tx, accountId, id, changes, clock.now());
  if (!row) throw notFound();
  return presentLabel(row);
}

const toTitleColumns = (title: string) => ({ title, title_key: title.toLowerCase() });

const createFolderConflict = () =>
  new AppError('folder_title_taken', { errors: { title: ['folders:errors.folder_title_taken'] } });

const labelTaken = () =>
  new AppError('label_title_taken', { errors: { title: ['folders:errors.label_title_taken'] } });

function presentFolder({ id, title }: Pick<store.FolderRow, 'id' | 'title'>): Folder {
  return { id: encodeId('folder', id), title };
}

export function presentLabel({
  id,
  title,
  color,
}: Pick<store.LabelRow, 'id' | 'title' | 'color'>): Label {
  return { id: encodeId('label', id), title, color: color as LabelColor };
}
