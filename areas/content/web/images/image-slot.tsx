// An image in the canvas, or its placeholder: upload by click or drop, or choose from the library.
import { Loader } from '@mantine/core';
import { IconPhoto, IconPlayerPlay } from '@tabler/icons-react';
import { type CSSProperties, useRef, useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { NodeId, DocumentImage } from '../../document.ts';
import classes from '../canvas/blocks.module.css';
import { useEditor } from '../store.ts';
import { ACCEPTED, findImageFile, toDocumentImage, uploadImage, setBlockImage } from './upload.ts';

export interface ImageSlotProps {
  id: NodeId;
  image: DocumentImage;
  isVideo?: boolean;
  style?: CSSProperties;
}

export function ImageSlot({ id, image: picture, isVideo = false, style }: ImageSlotProps) {
  const { editBlock } = useEditor();
  const [isBusy, setBusy] = useState(false);
  const [isOver, setOver] = useState(false);
  const upload = async (file: File | undefined) => {
    if (!file) return;
    setBusy(true);
    const image = await uploadImage(file);
    setBusy(false);
    if (image) editBlock(id, (block) => setBlockImage(block, toDocumentImage(image, picture)));
  };
  return (
    <div
      className={classes.picture}
      style={style}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        const file = findImageFile(event.dataTransfer);
        if (!file) return;
        event.preventDefault();
        event.stopPropagation();
        void upload(file);
      }}
    >
      {picture.src === '' ? (
        <EmptySlot id={id} isBusy={isBusy} put={upload} />
      ) : (
        <img
          src={picture.src}
          alt={picture.alt}
          width={picture.width ?? undefined}
          height={picture.height ?? undefined}
          draggable={false}
          loading="lazy"
        />
      )}
      {isVideo && (
        <div className={classes.play}>
          {picture.src !== '' && (
            <span>
              <IconPlayerPlay size={32} stroke={1.75} />
            </span>
          )}
        </div>
      )}
    </div>
  );
}

function EmptySlot({
  id,
  isBusy,
  put,
}: {
  id: NodeId;
  isBusy: boolean;
  put: (file: File | undefined) => Promise<void>;
}) {
  const t = useTexts('content');
  const { store, editBlock } = useEditor();
  const input = useRef<HTMLInputElement>(null);
  const choose = () =>
    store.setState({
      onImageChosen: (chosenImage) => editBlock(id, (block) => setBlockImage(block, chosenImage)),
    });
  return (
    <div className={classes.place}>
      {isBusy ? <Loader size="sm" /> : <IconPhoto size={24} stroke={1.5} aria-hidden="true" />}
      <span>{t('images.drop')}</span>
      <span className={classes.buttons}>
        <button type="button" onClick={() => input.current?.click()}>
          {t('images.upload')}
        </button>
        <button type="button" onClick={choose}>
          {t('images.library')}
        </button>
      </span>
      <input
        ref={input}
        type="file"
        accept={ACCEPTED}
        hidden
        aria-label={t('images.upload')}
        onChange={(event) => {
          void put(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}
