// Deletes an image after showing where it is used and how the deletion affects these uses.
import { summarizeList } from '#platform/web/texts/formats.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { text } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { api } from '../queries.ts';
import { IMAGES, type LibraryImage } from './upload.ts';

const MAX_LISTED_USES = 6;
const KINDS = [
  'campaign',
  'workflow',
  'transactional',
  'form',
  'section',
  'template',
  'brand',
] as const;

/** Returns the uses of an image as text; '' if there are none. */
export async function describeUses(
  { id }: LibraryImage,
  list: (parts: readonly string[]) => string,
): Promise<string> {
  const { data: uses } = await api('GET /client-api/api/images/{id}/uses', { params: { id } });
  const titles = uses.map(({ kind, title }) => {
    const knownKind = KINDS.find((knownKind) => knownKind === kind) ?? 'other';
    return text(`content:images.uses.${knownKind}`, { title });
  });
  return list(
    summarizeList(titles, MAX_LISTED_USES, (count) => text('content:images.usesMore', { count })),
  );
}

/** Deletes an image after confirmation; returns false if the user cancels. */
export async function confirmDelete({ id, name }: LibraryImage, uses: string): Promise<boolean> {
  const isUsed = uses !== '';
  const isDone = await confirm({
    title: text('content:images.deleteTitle'),
    message: isUsed
      ? text('content:images.deleteUsed', { name, uses })
      : text('content:images.deleteMessage', { name }),
    confirm: text(isUsed ? 'content:images.deleteAll' : 'content:tools.delete'),
    isDanger: true,
    run: () =>
      api('DELETE /client-api/api/images/{id}', {
        params: { id },
        body: isUsed ? { force: true } : {},
      }),
  });
  if (isDone) void invalidate(IMAGES);
  return isDone;
}
