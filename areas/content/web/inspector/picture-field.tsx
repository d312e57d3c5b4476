// An image in the inspector: from the library or a file, cropped, and its alternative text.
import { Button, Group, Textarea } from '@mantine/core';
import { IconPhotoSearch, IconTrash } from '@tabler/icons-react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { DocumentImage } from '../../document.ts';
import { NO_PICTURE } from '../../document-factory.ts';
import { AltAssist } from '../assist/assist-tools-late.tsx';
import { useEditor } from '../store.ts';
import classes from './inspector.module.css';

export interface DocumentImageFieldProps {
  image: DocumentImage;
  onChange: (image: DocumentImage, name?: string) => void;
  /** Image that is shown if none is set. */
  defaultSrc?: string | undefined;
  /** A background image has no alternative text. */
  isBackground?: boolean;
  /** Called on blur, for callers that do not save on each keystroke. */
  onBlur?: () => void;
}

export function DocumentImageField({
  image,
  onChange,
  defaultSrc,
  isBackground = false,
  onBlur,
}: DocumentImageFieldProps) {
  const t = useTexts('content');
  const { store } = useEditor();
  const choose = () =>
    store.setState({
      // The alternative text of a previous image is not reused; if it is missing, the checks report
      // that.
      onImageChosen: (chosenImage) =>
        onChange({
          ...chosenImage,
          alt: chosenImage.alt || (image.src === '' ? image.alt : ''),
        }),
    });
  const src = image.src || defaultSrc;
  return (
    <>
      {src && (
        <div className={classes.picture}>
          <img src={src} alt={image.alt} />
        </div>
      )}
      <Group gap="xs" grow>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPhotoSearch size={16} stroke={1.75} />}
          onClick={choose}
        >
          {t(image.src ? 'images.replace' : 'images.choose')}
        </Button>
        {image.src !== '' && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconTrash size={16} stroke={1.75} />}
            onClick={() => onChange({ ...NO_PICTURE, alt: image.alt })}
          >
            {t('images.remove')}
          </Button>
        )}
      </Group>
      {!isBackground && <AltField image={image} onChange={onChange} onWritten={onBlur} />}
    </>
  );
}

type AltFieldProps = Pick<DocumentImageFieldProps, 'image' | 'onChange'> & {
  onWritten: (() => void) | undefined;
};

function AltField({ image, onChange, onWritten }: AltFieldProps) {
  const t = useTexts('content');
  return (
    <>
      <Textarea
        size="xs"
        autosize
        minRows={1}
        label={t('images.alt')}
        description={t('images.altHint')}
        dir="auto"
        value={image.alt}
        onChange={(event) => onChange({ ...image, alt: event.currentTarget.value }, 'alt')}
        {...(onWritten ? { onBlur: onWritten } : {})}
      />
      <AltAssist image={image} onChoose={(alt) => onChange({ ...image, alt }, 'suggestion')} />
    </>
  );
}
