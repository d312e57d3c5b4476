// Saves conditions as a segment. Its title is its sentence unless the user enters another.
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { text } from '#platform/web/texts/texts.ts';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import type { Segment } from '../contract.ts';
import { MAX_TITLE_LENGTH } from '../shared.ts';
import { api, LIST_PATH } from './queries.ts';
import { buildTitle } from '../sentence.ts';

/** Prompts for the title, with the sentence as the default. */
export async function saveSegment(filter: string): Promise<Segment | undefined> {
  const { data } = await api('POST /client-api/api/filters/preview', {
    body: { conditions: filter },
  });
  let savedSegment: Segment | undefined;
  await promptInput({
    type: 'text',
    title: text('segments:save.title'),
    label: text('segments:title.label'),
    description: text('segments:save.hint', { count: data.subscribers }),
    value: buildTitle(data.sentence),
    maxLength: MAX_TITLE_LENGTH,
    confirm: text('segments:save.confirm'),
    send: async (title) => {
      const body = title === buildTitle(data.sentence) ? {} : { title };
      savedSegment = (
        await api('POST /client-api/api/filters', { body: { conditions: filter, ...body } })
      ).data;
    },
  });
  if (!savedSegment) return undefined;
  toast(text('segments:save.done', { title: savedSegment.title }));
  await invalidate(LIST_PATH);
  return savedSegment;
}
