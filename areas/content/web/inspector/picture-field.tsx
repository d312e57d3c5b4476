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
  picture: DocumentImage;
  onChange: (image: DocumentImage, name?: string) => void;
  /** Image that is shown if none is set. */
  usual?: string | undefined;
  /** A background image has no alternative text. */
  isGround?: boolean;
  /** Called on blur, for callers that do not save on each keystroke. */
  onWritten?: () => void;
}

export function DocumentImageField({
  picture,
  onChange,
  usual,
  isGround = false,
  onWritten,
}: DocumentImageFieldProps) {
  const t = useTexts('content');
  const { store } = useEditor();
  const choose = () =>
    store.setState({
      // The alternative text of a previous image is not reused; if it is missing, the checks report
      // that.
      choosing: (chosenImage) =>
        onChange({
          ...chosenImage,
          alt: chosenImage.alt || (picture.src === '' ? picture.alt : ''),
        }),
    });
  const src = picture.src || usual;
  return (
    <>
      {src && (
        <div className={classes.picture}>
          <img src={src} alt={picture.alt} />
        </div>
      )}
      <Group gap="xs" grow>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPhotoSearch size={16} stroke={1.75} />}
          onClick={choose}
        >
          {t(picture.src ? 'images.replace' : 'images.choose')}
        </Button>
        {picture.src !== '' && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconTrash size={16} stroke={1.75} />}
            onClick={() => onChange({ ...NO_PICTURE, alt: picture.alt })}
          >
            {t('images.remove')}
          </Button>
        )}
      </Group>
      {!isGround && <AltField picture={picture} onChange={onChange} onWritten={onWritten} />}
    </>
  );
}

type AltFieldProps = Pick<DocumentImageFieldProps, 'picture' | 'onChange'> & {
  onWritten: (() => void) | undefined;
};

function AltField({ picture, onChange, onWritten }: AltFieldProps) {
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
        value={picture.alt}
        onChange={(event) => onChange({ ...picture, alt: event.currentTarget.value }, 'alt')}
        {...(onWritten ? { onBlur: onWritten } : {})}
      />
      <AltAssist picture={picture} choose={(alt) => onChange({ ...picture, alt }, 'suggestion')} />
    </>
  );
}
