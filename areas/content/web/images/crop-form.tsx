// Cuts a picture: drag over it, or give the numbers; the result is a new image of the library.
import { Button, Group, NumberInput, SegmentedControl, Text } from '@mantine/core';
import { type PointerEvent, useRef, useState } from 'react';
import { showError } from '#platform/web/errors.ts';
import { touch } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { api } from '../queries.ts';
import classes from './library.module.css';
import { IMAGES, type LibraryImage } from './upload.ts';

type Box = { left: number; top: number; width: number; height: number };
const SHAPES = { free: 0, square: 1, wide: 16 / 9, photo: 4 / 3 } as const;
type Shape = keyof typeof SHAPES;

export function CropForm({
  image,
  cancel,
  done,
}: {
  image: LibraryImage;
  cancel: () => void;
  done: (image: LibraryImage) => void;
}) {
  const t = useTexts('content');
  const [box, setBox] = useState<Box>({
    left: 0,
    top: 0,
    width: image.width,
    height: image.height,
  });
  const [shape, setShape] = useState<Shape>('free');
  const [isBusy, setBusy] = useState(false);
  const picture = useRef<HTMLDivElement>(null);
  const start = useRef<{ x: number; y: number } | null>(null);
  const at = (event: PointerEvent) => {
    const frame = picture.current?.getBoundingClientRect();
    if (!frame) return { x: 0, y: 0 };
    return {
      x: clamp(((event.clientX - frame.left) / frame.width) * image.width, image.width),
      y: clamp(((event.clientY - frame.top) / frame.height) * image.height, image.height),
    };
  };
  const drag = (event: PointerEvent) => {
    if (!start.current) return;
    const { x, y } = at(event);
    setBox(boxBetween(start.current, { x, y }, SHAPES[shape], image));
  };
  const cut = async () => {
    setBusy(true);
    try {
      const { data } = await api('POST /client-api/api/images/{id}/crop', {
        params: { id: image.id },
        body: box,
      });
      void touch(IMAGES);
      done(data);
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  };
  const put = (key: keyof Box, most: number) => (value: number | string) => {
    if (typeof value === 'number') setBox({ ...box, [key]: Math.min(value, most) });
  };
  const percent = (part: number, whole: number) => `${(part / whole) * 100}%`;
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Text size="sm" c="dimmed">
          {t('images.cropHint')}
        </Text>
        <SegmentedControl
          size="xs"
          aria-label={t('images.shape')}
          value={shape}
          onChange={(value) => {
            const next = value as Shape;
            setShape(next);
            if (SHAPES[next])
              setBox(
                boxBetween(
                  { x: 0, y: 0 },
                  { x: image.width, y: image.height },
                  SHAPES[next],
                  image,
                ),
              );
          }}
          data={(Object.keys(SHAPES) as Shape[]).map((value) => ({
            value,
            label: t(`images.shapes.${value}`),
          }))}
        />
      </Group>
      <div className={classes.cropGround}>
        <div
          ref={picture}
          className={classes.crop}
          dir="ltr"
          onPointerDown={(event) => {
            event.preventDefault();
            event.currentTarget.setPointerCapture(event.pointerId);
            start.current = at(event);
          }}
          onPointerMove={drag}
          onPointerUp={() => {
            start.current = null;
          }}
        >
          <img src={image.src} alt={image.name} draggable={false} />
          <div
            className={classes.cut}
            style={{
              left: percent(box.left, image.width),
              top: percent(box.top, image.height),
              width: percent(box.width, image.width),
              height: percent(box.height, image.height),
            }}
          />
        </div>
      </div>
      <Group gap="xs" mt="sm" grow>
        <NumberInput
          size="xs"
          label={t('images.left')}
          min={0}
          value={box.left}
          onChange={put('left', image.width - 1)}
        />
        <NumberInput
          size="xs"
          label={t('images.top')}
          min={0}
          value={box.top}
          onChange={put('top', image.height - 1)}
        />
        <NumberInput
          size="xs"
          label={t('style.width')}
          min={1}
          value={box.width}
          onChange={put('width', image.width - box.left)}
        />
        <NumberInput
          size="xs"
          label={t('style.height')}
          min={1}
          value={box.height}
          onChange={put('height', image.height - box.top)}
        />
      </Group>
      <Group gap="xs" mt="md" justify="flex-end">
        <Button variant="default" onClick={cancel}>
          {t('platform:confirm.cancel')}
        </Button>
        <Button loading={isBusy} onClick={() => void cut()}>
          {t('images.cut')}
        </Button>
      </Group>
    </>
  );
}

const clamp = (value: number, most: number) => Math.round(Math.min(most, Math.max(0, value)));

/** From one corner to the other; with a ratio, as large as fits between them. */
function boxBetween(
  from: { x: number; y: number },
  to: { x: number; y: number },
  ratio: number,
  image: { width: number; height: number },
): Box {
  let width = Math.max(1, Math.abs(to.x - from.x));
  let height = Math.max(1, Math.abs(to.y - from.y));
  if (ratio > 0) {
    width = Math.min(width, Math.round(height * ratio));
    height = Math.max(1, Math.round(width / ratio));
  }
  const left = to.x < from.x ? from.x - width : from.x;
  const top = to.y < from.y ? from.y - height : from.y;
  return {
    left: clamp(left, image.width - width),
    top: clamp(top, image.height - height),
    width,
    height,
  };
}
