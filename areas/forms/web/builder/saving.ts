// Saves the draft with two requests, one for the general data and one for the groups. Errors name
// the request that failed; its changes are retained and sent again with the next save.
import { useRef } from 'react';
import { ApiError } from '#platform/web/api/api.ts';
import { errorTexts } from '#platform/web/errors/errors.ts';
import { type Autosave, useAutosave } from '#platform/web/editing/use-autosave.ts';
import { failure } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Form } from '../../contract.ts';
import { AUTOSAVE_MS } from '../../shared.ts';
import { api, LIST_PATH } from '../queries.ts';
import { type FormDraft, toDraft } from './draft.ts';

type DraftPart = 'general' | 'groups';
/**
 * The last state known to be on the server. `revisionBefore` and `revisionAfter` are the revisions
 * before and after this builder last saved the general data.
 */
type SavedState = {
  general: string;
  groups: string;
  revisionBefore: number;
  revisionAfter: number;
};

/**
 * If saving the groups failed after the general data was saved, the newer revision on the server
 * was created by this builder, not by another tab.
 */
const computeExpectedRevision = (
  revision: number,
  { revisionBefore, revisionAfter }: SavedState,
) => (revision === revisionBefore ? revisionAfter : revision);

const serializeGeneral = ({ title, document, settings }: FormDraft) =>
  JSON.stringify({ title, document, settings });
const serializeGroups = ({ groups }: FormDraft) =>
  JSON.stringify(groups.map(({ id, isMandatory }) => [id, isMandatory]));

export function useFormSaving(id: string): Autosave<FormDraft> {
  const t = useTexts('forms-builder');
  const savedState = useRef<SavedState>({
    general: '',
    groups: '',
    revisionBefore: 0,
    revisionAfter: 0,
  });
  const failedParts = useRef<DraftPart[]>([]);
  const rememberSaved = (form: Form) => {
    const draft = toDraft(form);
    savedState.current = {
      general: serializeGeneral(draft),
      groups: serializeGroups(draft),
      revisionBefore: form.revision,
      revisionAfter: form.revision,
    };
    return draft;
  };
  return useAutosave<FormDraft>({
    name: `form:${id}:draft`,
    pauseMs: AUTOSAVE_MS,
    load: async () => {
      const { data } = await api('GET /client-api/api/forms/{id}', { params: { id } });
      return { value: rememberSaved(data), revision: data.revision, saved_at: data.modified };
    },
    save: async (draft, revision) => {
      const errors = new Map<DraftPart, unknown>();
      const attempt = async (part: DraftPart, run: () => Promise<void>) => {
        await run().catch((error: unknown) => errors.set(part, error));
      };
      await attempt('general', () => saveGeneral(id, draft, revision, savedState.current));
      // After a conflict with another tab, the groups are not overwritten either.
      if (!isStale(errors.get('general'))) {
        await attempt('groups', () => saveGroups(id, draft, savedState.current));
      }
      failedParts.current = [...errors.keys()];
      void invalidate(LIST_PATH);
      const [first] = errors.values();
      if (errors.size > 0) throw first;
      return { revision: savedState.current.revisionAfter, saved_at: new Date().toISOString() };
    },
    reportFailure: (error) => {
      const failureKey =
        failedParts.current.length > 1 ? 'all' : (failedParts.current[0] ?? 'general');
      failure(errorTexts(error).message, { title: t(`failed.${failureKey}`), id: 'form-save' });
    },
  });
}

const isStale = (error: unknown) => error instanceof ApiError && error.code === 'stale_revision';

async function saveGeneral(
  id: string,
  draft: FormDraft,
  revision: number,
  savedState: SavedState,
): Promise<void> {
  const general = serializeGeneral(draft);
  if (general === savedState.general) return;
  const { title, document, settings } = draft;
  const { data } = await api('PATCH /client-api/api/forms/{id}', {
    params: { id },
    body: {
      ...(title.trim() === '' ? {} : { title: title.trim() }),
      document,
      settings,
      revision: computeExpectedRevision(revision, savedState),
    },
  });
  Object.assign(savedState, {
    general,
    revisionBefore: revision,
    revisionAfter: data.revision,
  });
}

async function saveGroups(id: string, draft: FormDraft, savedState: SavedState): Promise<void> {
  const groups = serializeGroups(draft);
  if (groups === savedState.groups) return;
  await api('POST /client-api/api/forms/{id}/tags', {
    params: { id },
    body: {
      tags_ids: draft.groups.map((group) => group.id),
      mandatory_tags: draft.groups.filter((group) => group.isMandatory).map((group) => group.id),
    },
  });
  savedState.groups = groups;
}
