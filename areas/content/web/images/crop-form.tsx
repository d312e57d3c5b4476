// Crops an image by dragging or with numbers; the result is a new image in the library.
import { Button, Group, NumberInput, SegmentedControl, Text } from '@mantine/core';
import { type PointerEvent, useRef, useState } from 'react';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { api } from '../queries.ts';
import classes from './library.module.css';
import { IMAGES, type LibraryImage } from './upload.ts';

type CropPoint = { x: number; y: number };
type Size = { width: number; height: number };
type Box = { left: number; top: number } & Size;
const SHAPES = { free: 0, square: 1, wide: 16 / 9, photo: 4 / 3 } as const;
type CropShape = keyof typeof SHAPES;

export function CropForm({
  image,
  cancel,
  onDone,
}: {
  image: LibraryImage;
  cancel: () => void;
  onDone: (image: LibraryImage) => void;
}) {
  const t = useTexts('content');
  const [box, setBox] = useState<Box>({
    left: 0,
    top: 0,
    width: image.width,
    height: image.height,
  });
  const [shape, setShape] = useState<CropShape>('free');
  const select = (from: CropPoint, to: CropPoint, as = shape) =>
    setBox(createBox(from, to, SHAPES[as], image));
  const cropAct = useAction(
    () => api('POST /client-api/api/images/{id}/crop', { params: { id: image.id }, body: box }),
    {
      onDone: ({ data }) => {
        void invalidate(IMAGES);
        onDone(data);
      },
    },
  );
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Text size="sm" c="dimmed">
          {t('images.cropHint')}
        </Text>
        <ShapeChoice
          shape={shape}
          onChoose={(next) => {
            setShape(next);
            if (SHAPES[next]) select({ x: 0, y: 0 }, { x: image.width, y: image.height }, next);
          }}
        />
      </Group>
      <CropGround image={image} box={box} onSelect={select} />
      <BoxNumbers image={image} box={box} setBox={setBox} />
      <Group gap="xs" mt="md" justify="flex-end">
        <Button variant="default" onClick={cancel}>
          {t('platform:confirm.cancel')}
        </Button>
        <Button loading={cropAct.isPending} onClick={() => cropAct.mutate(undefined)}>
          {t('images.cut')}
        </Button>
      </Group>
    </>
  );
}

function ShapeChoice({
  shape,
  onChoose,
}: {
  shape: CropShape;
  onChoose: (shape: CropShape) => void;
}) {
  const t = useTexts('content');
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('images.shape')}
      value={shape}
      onChange={(value) => onChoose(value as CropShape)}
      data={(Object.keys(SHAPES) as CropShape[]).map((value) => ({
        value,
        label: t(`images.shapes.${value}`),
      }))}
    />
  );
}

/** The image with the crop area, chosen by dragging between corners. */
function CropGround({
  image,
  box,
  onSelect,
}: {
  image: LibraryImage;
  box: Box;
  onSelect: (from: CropPoint, to: CropPoint) => void;
}) {
  const frameRef = useRef<HTMLDivElement>(null);
  const start = useRef<CropPoint | null>(null);
  const toPoint = (event: PointerEvent): CropPoint => {
    const frame = frameRef.current?.getBoundingClientRect();
    if (!frame) return { x: 0, y: 0 };
    return {
      x: clamp(((event.clientX - frame.left) / frame.width) * image.width, image.width),
      y: clamp(((event.clientY - frame.top) / frame.height) * image.height, image.height),
    };
  };
  return (
    <div className={classes.cropGround}>
      <div
        ref={frameRef}
        className={classes.crop}
        dir="ltr"
        onPointerDown={(event) => {
          event.preventDefault();
          event.currentTarget.setPointerCapture(event.pointerId);
          start.current = toPoint(event);
        }}
        onPointerMove={(event) => {
          if (start.current) onSelect(start.current, toPoint(event));
        }}
        onPointerUp={() => {
          start.current = null;
        }}
      >
        <img src={image.src} alt={image.name} draggable={false} />
        <div
          className={classes.cut}
          style={{
            left: formatPercent(box.left, image.width),
            top: formatPercent(box.top, image.height),
            width: formatPercent(box.width, image.width),
            height: formatPercent(box.height, image.height),
          }}
        />
      </div>
    </div>
  );
}

function BoxNumbers({
  image,
  box,
  setBox,
}: {
  image: LibraryImage;
  box: Box;
  setBox: (box: Box) => void;
}) {
  const t = useTexts('content');
  const field = (key: keyof Box, label: string, min: number, max: number) => (
    <NumberInput
      size="xs"
      label={label}
      min={min}
      value={box[key]}
      onChange={(value) => {
        if (typeof value === 'number') setBox({ ...box, [key]: Math.min(value, max) });
      }}
    />
  );
  return (
    <Group gap="xs" mt="sm" grow>
      {field('left', t('images.left'), 0, image.width - 1)}
      {field('top', t('images.top'), 0, image.height - 1)}
      {field('width', t('style.width'), 1, image.width - box.left)}
      {field('height', t('style.height'), 1, image.height - box.top)}
    </Group>
  );
}

const formatPercent = (length: number, total: number) => `${(length / total) * 100}%`;
const clamp = (value: number, max: number) => Math.round(Math.min(max, Math.max(0, value)));

/**
 * Creates the area between two corners. If `ratio` is above zero, reduces the area to the largest
 * one with that ratio.
 */
function createBox(from: CropPoint, to: CropPoint, ratio: number, image: Size): Box {
  let width = Math.max(1, Math.abs(to.x - from.x));
  let height = Math.max(1, Math.abs(to.y - from.y));
  if (ratio > 0) {
    width = Math.min(width, Math.round(height * ratio));
    height = Math.max(1, Math.round(width / ratio));
  }
  const leftEdge = to.x < from.x ? from.x - width : from.x;
  const top = to.y < from.y ? from.y - height : from.y;
  return {
    left: clamp(leftEdge, image.width - width),
    top: clamp(top, image.height - height),
    width,
    height,
  };
}
