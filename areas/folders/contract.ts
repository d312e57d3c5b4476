// Calls for folders and labels. A folder contains one kind of item; all kinds share the labels.
import { z } from 'zod';
import { dataResponse, defineCalls, SuccessResponse, Id, idOf, line } from '#platform/contract.ts';
import { ITEM_KINDS, LABEL_COLORS, MAX_TITLE_LENGTH } from './shared.ts';

const FOLDERS = '/client-api/api/folders';
const LABELS = '/client-api/api/labels';

export const Folder = z.object({ id: Id, title: z.string() });
export type Folder = z.infer<typeof Folder>;

export const Label = z.object({ id: Id, title: z.string(), color: z.enum(LABEL_COLORS) });
export type Label = z.infer<typeof Label>;

const kind = z.enum(ITEM_KINDS);
const title = line(MAX_TITLE_LENGTH, 1);
const color = z.enum(LABEL_COLORS);
const folder = z.object({ id: idOf('folder') });
const label = z.object({ id: idOf('label') });

export const calls = defineCalls({
  listFolders: {
    method: 'GET',
    path: FOLDERS,
    caller: 'account',
    summary: 'List folders of one kind',
    query: z.strictObject({ kind }),
    response: dataResponse(z.array(Folder)),
  },
  createFolder: {
    method: 'POST',
    path: FOLDERS,
    caller: 'account',
    summary: 'Create a folder',
    body: z.strictObject({ kind, title }),
    response: dataResponse(Folder),
    errors: { folder_title_taken: 409, too_many_folders: 422 },
  },
  renameFolder: {
    method: 'PATCH',
    path: `${FOLDERS}/{id}`,
    caller: 'account',
    summary: 'Rename a folder',
    params: folder,
    body: z.strictObject({ title }),
    response: dataResponse(Folder),
    errors: { folder_title_taken: 409 },
  },
  deleteFolder: {
    method: 'DELETE',
    path: `${FOLDERS}/{id}`,
    caller: 'account',
    summary: 'Delete a folder',
    description: 'The items of the folder remain, without a folder.',
    params: folder,
    response: SuccessResponse,
  },
  listLabels: {
    method: 'GET',
    path: LABELS,
    caller: 'account',
    summary: 'List labels',
    response: dataResponse(z.array(Label)),
  },
  createLabel: {
    method: 'POST',
    path: LABELS,
    caller: 'account',
    summary: 'Create a label',
    body: z.strictObject({ title, color }),
    response: dataResponse(Label),
    errors: { label_title_taken: 409, too_many_labels: 422 },
  },
  updateLabel: {
    method: 'PATCH',
    path: `${LABELS}/{id}`,
    caller: 'account',
    summary: 'Update a label',
    params: label,
    body: z.strictObject({ title, color }),
    response: dataResponse(Label),
    errors: { label_title_taken: 409 },
  },
  deleteLabel: {
    method: 'DELETE',
    path: `${LABELS}/{id}`,
    caller: 'account',
    summary: 'Delete a label',
    description: 'Also removes it from all items.',
    params: label,
    response: SuccessResponse,
  },
});
