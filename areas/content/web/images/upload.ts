// Uploads images to the library, finds images in dropped or pasted data, and converts library
// images to email images.
import type { ResponseOf } from '#platform/web/api/api.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import type { calls } from '../../contract.ts';
import type { Block, DocumentImage } from '../../document.ts';
import { api } from '../queries.ts';

export type LibraryImage = ResponseOf<typeof calls, 'GET /client-api/api/images'>['data'][number];

export const IMAGES = '/client-api/api/images';
export const ACCEPTED = 'image/png,image/jpeg,image/gif,image/webp';

export async function uploadImage(file: File): Promise<LibraryImage | undefined> {
  const form = new FormData();
  form.append('file', file);
  try {
    const { data } = await api.upload('POST /client-api/api/images', form);
    void invalidate(IMAGES);
    return data;
  } catch (error) {
    showError(error);
    return undefined;
  }
}

/** Returns the first image among dropped or pasted items. */
export function findImageFile(data: DataTransfer | null): File | undefined {
  return [...(data?.files ?? [])].find((file) => ACCEPTED.split(',').includes(file.type));
}

/**
 * Converts a library image to an email image. `previous` is the alternative text of the new image,
 * or the image that it replaces. The alternative text of a replaced placeholder is kept; that of a
 * replaced image is not, because it describes the old image.
 */
export function toDocumentImage(
  image: LibraryImage,
  previous?: DocumentImage | string,
): DocumentImage {
  const alt = typeof previous === 'string' ? previous : previous?.src === '' ? previous.alt : '';
  return { src: image.src, alt, width: image.width, height: image.height };
}

export function readBlockImage(block: Block): DocumentImage | undefined {
  if (block.type === 'video') return block.poster;
  return 'image' in block ? block.image : undefined;
}

export function setBlockImage(block: Block, image: DocumentImage): Block {
  if (block.type === 'video') return { ...block, poster: image };
  return 'image' in block ? { ...block, image: image } : block;
}
