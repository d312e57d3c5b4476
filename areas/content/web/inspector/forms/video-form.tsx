// Address and thumbnail of a video. The thumbnail of a YouTube or Vimeo video is loaded
// automatically if the block has none.
import { Button } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconPhotoDown } from '@tabler/icons-react';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { parseVideo } from '../../../video-address.ts';
import { IMAGES, toDocumentImage } from '../../images/upload.ts';
import { api } from '../../queries.ts';
import { useEditor } from '../../store.ts';
import { DocumentImageField } from '../picture-field.tsx';
import { type BlockFormProps, Href, WidthRow } from './form-pieces.tsx';

const TYPING_MS = 600;

export function VideoForm({ block, change }: BlockFormProps<'video'>) {
  const t = useTexts('content');
  const load = useThumbnail(block.id);
  const loadTyped = useDebouncedCallback((address: string) => load.mutate(address), TYPING_MS);
  return (
    <>
      <Href
        value={block.href}
        onChange={(href) => {
          change({ href }, 'href');
          if (block.poster.src === '' && parseVideo(href)) loadTyped(href);
        }}
      />
      {parseVideo(block.href) && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPhotoDown size={16} stroke={1.75} />}
          loading={load.isPending}
          onClick={() => load.mutate(block.href)}
        >
          {t('images.videoThumbnail')}
        </Button>
      )}
      <DocumentImageField
        image={block.poster}
        onChange={(poster, name) => change({ poster }, name)}
      />
      <WidthRow value={block.width} onChange={(width) => change({ width }, 'width')} />
    </>
  );
}

/** Loads the thumbnail of a URL; it is ignored if the block has another URL by then. */
function useThumbnail(id: string) {
  const { editBlock } = useEditor();
  return useAction(
    (address: string) => api('POST /client-api/api/images/video_thumbnail', { body: { address } }),
    {
      onDone: ({ data: { image, title } }, address) => {
        void invalidate(IMAGES);
        editBlock(id, (block) =>
          block.type === 'video' && block.href === address
            ? { ...block, poster: toDocumentImage(image, block.poster.alt || title) }
            : block,
        );
      },
    },
  );
}
