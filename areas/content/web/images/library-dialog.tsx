// The dialog of the image library, which opens over the editor: finds, uploads, crops, edits,
// deletes and chooses images.
import { Button, Group, Loader, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPhoto, IconUpload } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { durations, failure, hideNotice, notice } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { PageLinks } from '#platform/web/ui/page-links.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useOpenedHere } from '#platform/web/hooks/use-opened.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import type { DocumentImage } from '../../document.ts';
import { api } from '../queries.ts';
import { CropForm } from './crop-form.tsx';
import { EditForm } from './edit-form.tsx';
import { confirmDelete, describeUses } from './delete-image.ts';
import { ImageSources } from './image-sources.tsx';
import classes from './library.module.css';
import {
  ACCEPTED,
  findImageFile,
  type LibraryImage,
  toDocumentImage,
  uploadImage,
} from './upload.ts';

export interface LibraryDialogProps {
  onChoose: (chosenImage: DocumentImage) => void;
  close: () => void;
}

export default function LibraryDialog({ onChoose, close }: LibraryDialogProps) {
  const t = useTexts('content');
  const [chosen, setChosen] = useState<LibraryImage>();
  const [change, setChange] = useState<'crop' | 'edit'>();
  const ChangeForm = change === 'edit' ? EditForm : CropForm;
  const chooseImage = (image: LibraryImage, alt: string) => {
    onChoose(toDocumentImage(image, alt));
    close();
  };
  return (
    <Dialog opened={useOpenedHere()} onClose={close} size={920} title={t('images.libraryTitle')}>
      {chosen && change ? (
        <ChangeForm
          image={chosen}
          cancel={() => setChange(undefined)}
          onDone={(image) => {
            setChosen(image);
            setChange(undefined);
          }}
        />
      ) : chosen ? (
        <ChosenImage
          image={chosen}
          onBack={() => setChosen(undefined)}
          onEdit={setChange}
          onUse={chooseImage}
        />
      ) : (
        <ImageSources library={<Library onChoose={setChosen} />} onChoose={setChosen} />
      )}
    </Dialog>
  );
}

function Library({ onChoose }: { onChoose: (image: LibraryImage) => void }) {
  const t = useTexts('content');
  const [term, setTerm] = useState('');
  const [search] = useDebouncedValue(term, 200);
  const [page, setPage] = useState(1);
  const [isBusy, setBusy] = useState(false);
  const images = useImages(search.trim(), page);
  const upload = async (file: File | undefined) => {
    if (!file) return;
    setBusy(true);
    const image = await uploadImage(file);
    setBusy(false);
    if (image) onChoose(image);
  };
  const { data, meta } = images.data ?? {};
  return (
    <div
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const image = findImageFile(event.dataTransfer);
        if (!image && event.dataTransfer.files.length > 0) notice(t('images.noneText'));
        void upload(image);
      }}
      onPaste={(event) => void upload(findImageFile(event.clipboardData))}
    >
      <Group gap="xs" mb="md">
        <TextInput
          flex={1}
          miw={160}
          aria-label={t('images.find')}
          placeholder={t('images.find')}
          value={term}
          onChange={(event) => {
            setTerm(event.currentTarget.value);
            setPage(1);
          }}
        />
        <UploadButton isBusy={isBusy} put={upload} />
      </Group>
      {images.isLoadingError && <FailedState error={images.error} retry={images.refetch} />}
      {!images.isLoadingError && !data && <LoadingState rows={4} />}
      {data?.length === 0 && (
        <EmptyState icon={IconPhoto} title={t('images.none')}>
          {t('images.noneText')}
        </EmptyState>
      )}
      <ImageGrid images={data} onChoose={onChoose} />
      {meta && meta.pageCount > 1 && (
        <Group justify="center" mt="md">
          <PageLinks total={meta.pageCount} page={page} onChange={setPage} />
        </Group>
      )}
    </div>
  );
}

function useImages(search: string, page: number) {
  return useQuery({
    ...api.query('GET /client-api/api/images', {
      query: {
        page,
        order: 'created',
        direction: 'desc',
        ...(search ? { search } : {}),
      },
    }),
    placeholderData: keepPreviousData,
  });
}

interface ImageGridProps {
  images: readonly LibraryImage[] | undefined;
  onChoose: (image: LibraryImage) => void;
}

function ImageGrid({ images, onChoose }: ImageGridProps) {
  return (
    <ul className={classes.grid}>
      {images?.map((image) => (
        <li key={image.id}>
          <button type="button" className={classes.image} onClick={() => onChoose(image)}>
            <img src={image.thumbnail_src} alt="" loading="lazy" />
            <span dir="auto">{image.name}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

interface UploadButtonProps {
  isBusy: boolean;
  put: (file: File | undefined) => Promise<void>;
}

function UploadButton({ isBusy, put }: UploadButtonProps) {
  const t = useTexts('content');
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        leftSection={<IconUpload size={18} stroke={1.75} />}
        loading={isBusy}
        onClick={() => input.current?.click()}
      >
        {t('images.upload')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept={ACCEPTED}
        aria-label={t('images.file')}
        onChange={(event) => {
          void put(event.currentTarget.files?.[0]);
          // Cleared, so that choosing the same file again after a failure triggers a change event.
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}

interface ChosenImageProps {
  image: LibraryImage;
  onBack: () => void;
  onEdit: (change: 'crop' | 'edit') => void;
  onUse: (image: LibraryImage, alt: string) => void;
}

function ChosenImage({ image, onBack, onEdit, onUse }: ChosenImageProps) {
  const t = useTexts('content');
  const [alt, setAlt] = useState('');
  const { isLoadingUses, remove } = useDeletion(image, onBack);
  return (
    <form
      className={classes.chosen}
      onSubmit={(event) => {
        event.preventDefault();
        onUse(image, alt.trim());
      }}
    >
      <div className={classes.preview}>
        <img src={image.src} alt={image.name} />
      </div>
      <div className={classes.facts}>
        <ImageDetails image={image} />
        <TextInput
          mt="md"
          data-autofocus
          label={t('images.alt')}
          description={t('images.altHint')}
          dir="auto"
          value={alt}
          onChange={(event) => setAlt(event.currentTarget.value)}
        />
        <Group gap="xs" mt="md">
          <Button type="submit">{t('images.take')}</Button>
          {!image.is_animated && (
            <>
              <Button variant="default" onClick={() => onEdit('crop')}>
                {t('images.crop')}
              </Button>
              <Button variant="default" onClick={() => onEdit('edit')}>
                {t('images.edit')}
              </Button>
            </>
          )}
          <Button variant="default" onClick={onBack}>
            {t('images.back')}
          </Button>
          {/* The prop `loading` would disable the button, which then loses the focus. */}
          <Button
            variant="subtle"
            color="danger"
            aria-busy={isLoadingUses}
            leftSection={isLoadingUses && <Loader size={14} color="danger" />}
            onClick={remove}
          >
            {t('tools.delete')}
          </Button>
        </Group>
      </div>
    </form>
  );
}

function ImageDetails({ image }: { image: LibraryImage }) {
  const t = useTexts('content');
  const { bytes, number } = useFormats();
  return (
    <>
      <Text fw={600} className={classes.name}>
        {image.name}
      </Text>
      <Text size="sm" c="dimmed">
        {t('images.facts', {
          width: number(image.width),
          height: number(image.height),
          size: bytes(image.bytes),
        })}
      </Text>
    </>
  );
}

/** Deletes an image after its uses are loaded and shown. */
function useDeletion(image: LibraryImage, onBack: () => void) {
  const t = useTexts('content');
  const { list } = useFormats();
  const findUses = useAction(() => describeUses(image, list), { errors: 'own' });
  const id = `uses:${image.id}`;
  // Hides the notice on unmount because its retry would have no effect: callbacks of `mutate` no
  // longer run.
  useEffect(() => () => hideNotice(id), [id]);
  const remove = (): void => {
    if (findUses.isPending) return;
    findUses.mutate(undefined, {
      onSuccess: async (uses) => {
        if (await confirmDelete(image, uses)) onBack();
      },
      // Without the uses, the user could break an email without noticing it.
      onError: () =>
        failure(t('images.usesFailed', { name: image.name }), {
          id,
          title: t('images.usesFailedTitle'),
          duration: durations.notice,
          action: { label: t('platform:states.retry'), run: remove },
        }),
    });
  };
  return { isLoadingUses: findUses.isPending, remove };
}
