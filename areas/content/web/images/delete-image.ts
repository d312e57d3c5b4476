// Deleting an image: first it is said where it stands, and what becomes of it there.
import { firstOf } from '#platform/web/formats.ts';
import { touch } from '#platform/web/queries.ts';
import { text } from '#platform/web/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { api } from '../queries.ts';
import { IMAGES, type LibraryImage } from './upload.ts';

const MOST = 6;
const KINDS = ['campaign', 'section', 'brand'] as const;

/** False if it is kept after all. */
export async function deleteAsked(
  { id, name }: LibraryImage,
  list: (parts: readonly string[]) => string,
): Promise<boolean> {
  const { data: uses } = await api('GET /client-api/api/images/{id}/uses', { params: { id } });
  const isUsed = uses.length > 0;
  const titles = uses.map(({ kind, title }) => {
    const known = KINDS.find((one) => one === kind) ?? 'other';
    return text(`content:images.uses.${known}`, { title });
  });
  const named = firstOf(titles, MOST, (count) => text('content:images.usesMore', { count }));
  const isSure = await confirm({
    title: text('content:images.deleteTitle'),
    message: isUsed
      ? text('content:images.deleteUsed', { name, uses: list(named) })
      : text('content:images.deleteMessage', { name }),
    confirm: text(isUsed ? 'content:images.deleteAll' : 'content:tools.delete'),
    isDanger: true,
  });
  if (!isSure) return false;
  await api('DELETE /client-api/api/images/{id}', {
    params: { id },
    body: isUsed ? { force: true } : {},
  });
  void touch(IMAGES);
  return true;
}
