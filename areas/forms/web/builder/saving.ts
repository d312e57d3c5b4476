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
import { api, LIST } from '../queries.ts';
import { type Draft, draftOf } from './draft.ts';

type Part = 'general' | 'groups';
/**
 * The last state known to be on the server. `from` and `to` are the revisions before and after this
 * builder last saved the general data.
 */
type SavedRevision = { general: string; groups: string; from: number; to: number };

/**
 * If saving the groups failed after the general data was saved, the newer revision on the server was
 * created by this builder, not by another tab.
 */
const revisionOf = (revision: number, { from, to }: SavedRevision) =>
  revision === from ? to : revision;

const generalOf = ({ title, document, settings }: Draft) =>
  JSON.stringify({ title, document, settings });
const groupsOf = ({ groups }: Draft) =>
  JSON.stringify(groups.map(({ id, isMandatory }) => [id, isMandatory]));

export function useFormSaving(id: string): Autosave<Draft> {
  const t = useTexts('forms-builder');
  const known = useRef<SavedRevision>({ general: '', groups: '', from: 0, to: 0 });
  const failed = useRef<Part[]>([]);
  const learn = (form: Form) => {
    const draft = draftOf(form);
    known.current = {
      general: generalOf(draft),
      groups: groupsOf(draft),
      from: form.revision,
      to: form.revision,
    };
    return draft;
  };
  return useAutosave<Draft>({
    name: `form:${id}:draft`,
    pauseMs: AUTOSAVE_MS,
    load: async () => {
      const { data } = await api('GET /client-api/api/forms/{id}', { params: { id } });
      return { value: learn(data), revision: data.revision, saved_at: data.modified };
    },
    save: async (draft, revision) => {
      const wrong = new Map<Part, unknown>();
      const attempt = async (part: Part, run: () => Promise<void>) => {
        await run().catch((error: unknown) => wrong.set(part, error));
      };
      await attempt('general', () => saveGeneral(id, draft, revision, known.current));
      // After a conflict with another tab, the groups are not overwritten either.
      if (!isStale(wrong.get('general'))) {
        await attempt('groups', () => saveGroups(id, draft, known.current));
      }
      failed.current = [...wrong.keys()];
      void invalidate(LIST);
      const [first] = wrong.values();
      if (wrong.size > 0) throw first;
      return { revision: known.current.to, saved_at: new Date().toISOString() };
    },
    reportFailure: (error) => {
      const which = failed.current.length > 1 ? 'all' : (failed.current[0] ?? 'general');
      failure(errorTexts(error).message, { title: t(`failed.${which}`), id: 'form-save' });
    },
  });
}

const isStale = (error: unknown) => error instanceof ApiError && error.code === 'stale_revision';

async function saveGeneral(
  id: string,
  draft: Draft,
  revision: number,
  known: SavedRevision,
): Promise<void> {
  const general = generalOf(draft);
  if (general === known.general) return;
  const { title, document, settings } = draft;
  const { data } = await api('PATCH /client-api/api/forms/{id}', {
    params: { id },
    body: {
      ...(title.trim() === '' ? {} : { title: title.trim() }),
      document,
      settings,
      revision: revisionOf(revision, known),
    },
  });
  Object.assign(known, { general, from: revision, to: data.revision });
}

async function saveGroups(id: string, draft: Draft, known: SavedRevision): Promise<void> {
  const groups = groupsOf(draft);
  if (groups === known.groups) return;
  await api('POST /client-api/api/forms/{id}/tags', {
    params: { id },
    body: {
      tags_ids: draft.groups.map((group) => group.id),
      mandatory_tags: draft.groups.filter((group) => group.isMandatory).map((group) => group.id),
    },
  });
  known.groups = groups;
}
