// Rotates an image, changes its brightness and rounds its corners; the result is a new image of the
// library.
import { ActionIcon, Button, Group, Slider, Text } from '@mantine/core';
import { IconRotate2, IconRotateClockwise2 } from '@tabler/icons-react';
import { useState } from 'react';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { api } from '../queries.ts';
import { editStyle, type ImageEdit, NO_EDIT, rotateImage } from './edit-style.ts';
import classes from './library.module.css';
import { IMAGES, type LibraryImage } from './upload.ts';

export function EditForm({
  image,
  cancel,
  onDone,
}: {
  image: LibraryImage;
  cancel: () => void;
  onDone: (image: LibraryImage) => void;
}) {
  const t = useTexts('content');
  const [edit, setEdit] = useState<ImageEdit>(NO_EDIT);
  const patchEdit = (part: Partial<ImageEdit>) => setEdit((now) => ({ ...now, ...part }));
  const save = useAction(
    () => api('POST /client-api/api/images/{id}/edit', { params: { id: image.id }, body: edit }),
    {
      onDone: ({ data }) => {
        void invalidate(IMAGES);
        onDone(data);
      },
    },
  );
  const isSame = edit.rotate === 0 && edit.brightness === 100 && edit.radius === 0;
  return (
    <>
      <div className={classes.editGround}>
        <img src={image.src} alt={image.name} style={editStyle(edit, image)} />
      </div>
      <EditTools edit={edit} put={patchEdit} />
      <Text size="sm" c="dimmed" mt="sm">
        {t('images.editHint')}
      </Text>
      <Group gap="xs" mt="md" justify="flex-end">
        <Button variant="default" onClick={cancel}>
          {t('platform:confirm.cancel')}
        </Button>
        <Button disabled={isSame} loading={save.isPending} onClick={() => save.mutate(undefined)}>
          {t('images.saveCopy')}
        </Button>
      </Group>
    </>
  );
}

interface EditToolsProps {
  edit: ImageEdit;
  put: (part: Partial<ImageEdit>) => void;
}

function EditTools({ edit, put }: EditToolsProps) {
  const t = useTexts('content');
  return (
    <Group gap="lg" mt="md" align="end">
      <Group gap="xs">
        <TurnButton
          label={t('images.turnLeft')}
          onTurn={() => put(rotateImage(edit, -90))}
          isLeft
        />
        <TurnButton label={t('images.turnRight')} onTurn={() => put(rotateImage(edit, 90))} />
      </Group>
      <Amount
        label={t('images.brightness')}
        value={edit.brightness}
        min={50}
        max={150}
        onChange={(brightness) => put({ brightness })}
      />
      <Amount
        label={t('images.corners')}
        value={edit.radius}
        min={0}
        max={50}
        onChange={(radius) => put({ radius })}
      />
    </Group>
  );
}

interface TurnButtonProps {
  label: string;
  onTurn: () => void;
  isLeft?: boolean;
}

function TurnButton({ label, onTurn, isLeft = false }: TurnButtonProps) {
  const Icon = isLeft ? IconRotate2 : IconRotateClockwise2;
  return (
    <ActionIcon variant="default" size="lg" aria-label={label} title={label} onClick={onTurn}>
      <Icon size={18} stroke={1.75} />
    </ActionIcon>
  );
}

interface AmountProps {
  label: string;
  value: number;
  min: number;
  max: number;
  onChange: (value: number) => void;
}

function Amount({ label, value, min, max, onChange }: AmountProps) {
  const { percent } = useFormats();
  return (
    <div className={classes.amount}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm">{label}</Text>
        <Text size="sm" c="dimmed" className="tabular" aria-hidden="true">
          {percent(value / 100)}
        </Text>
      </Group>
      <Slider
        mt={4}
        thumbLabel={label}
        thumbValueText={percent(value / 100)}
        min={min}
        max={max}
        value={value}
        label={null}
        onChange={onChange}
      />
    </div>
  );
}
