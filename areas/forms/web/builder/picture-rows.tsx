// A picture from the account's library and its alternative text.
import { Button, Group } from '@mantine/core';
import { IconPhotoSearch, IconTrash } from '@tabler/icons-react';
import { LIMITS } from '#embed/forms/shared/document.ts';
import { LineRow } from '#platform/web/editing/fields.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './builder.module.css';
import { useBuilder } from './store.ts';

type FormImage = { url: string; alt: string };

export function ImageRows({
  image,
  onChange,
}: {
  image: FormImage;
  onChange: (image: FormImage, name?: string) => void;
}) {
  const t = useTexts('forms-builder');
  const { store } = useBuilder();
  const { url, alt } = image;
  const choose = () =>
    store.setState({
      onImageChosen: (chosenImage) =>
        onChange({
          // The library may return root-relative URLs.
          url: new URL(chosenImage.url, location.href).href,
          alt: chosenImage.alt || alt,
        }),
    });
  return (
    <>
      {url && (
        <div className={classes.picture}>
          <img src={url} alt={alt} />
        </div>
      )}
      <Group gap="xs" grow>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPhotoSearch size={16} stroke={1.75} />}
          onClick={choose}
        >
          {t(url ? 'picture.replace' : 'picture.choose')}
        </Button>
        {url && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconTrash size={16} stroke={1.75} />}
            onClick={() => onChange({ url: '', alt })}
          >
            {t('picture.remove')}
          </Button>
        )}
      </Group>
      <LineRow
        label={t('picture.alt')}
        description={t('picture.altHint')}
        value={alt}
        onChange={(next) => onChange({ url, alt: next.slice(0, LIMITS.label) }, 'alt')}
      />
    </>
  );
}
