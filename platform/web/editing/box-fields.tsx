// Style fields of a box: color, padding and border.
import { ColorInput, Group, NumberInput, Text } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Reset, Row, type DefaultedFieldProps } from './field-parts.tsx';
import { ChoiceRow, NumberRow } from './fields.tsx';
import classes from './fields.module.css';
import { useEditingContext } from './editing-context.ts';

export type Color = `#${string}`;
/** In pixels. */
export type Padding = { top: number; end: number; bottom: number; start: number };
export type Border = { width: number; style: 'solid' | 'dashed' | 'dotted'; color: Color };

const isColor = (text: string): text is Color => /^#[0-9a-f]{6}$/i.test(text);

export function ColorRow({
  label,
  value,
  defaultValue,
  onChange,
  isFixed,
}: DefaultedFieldProps<Color>) {
  const t = useTexts('editing');
  const { colors } = useEditingContext();
  // The incomplete input of a color.
  const [typed, setTyped] = useState<string>();
  return (
    <Row label={label}>
      <ColorInput
        size="xs"
        aria-label={label}
        format="hex"
        dir="ltr"
        placeholder={defaultValue ?? t('style.none')}
        value={typed ?? value ?? ''}
        swatches={[...colors, ...SWATCHES].slice(0, 14)}
        swatchesPerRow={7}
        withEyeDropper={false}
        leftSection={
          value === undefined && defaultValue !== undefined ? (
            <span className={classes.usualColour} style={{ background: defaultValue }} />
          ) : undefined
        }
        popoverProps={{ shadow: 'md', position: 'bottom-end' }}
        onChange={(text) => {
          setTyped(isColor(text) ? undefined : text);
          if (isColor(text)) onChange(text.toLowerCase() as Color);
          else if (text === '' && !isFixed) onChange(undefined);
        }}
        onBlur={() => setTyped(undefined)}
        rightSection={
          value !== undefined && !isFixed ? (
            <Reset label={label} reset={() => onChange(undefined)} />
          ) : undefined
        }
      />
    </Row>
  );
}

const SWATCHES = ['#ffffff', '#f4f4f2', '#1b1d22', '#5b606b', '#3b4fe4', '#e8622c', '#1b7f4b'];

const EDGES = ['top', 'end', 'bottom', 'start'] as const;

export function PaddingRow({
  label,
  value,
  defaultValue,
  onChange,
}: {
  label: string;
  value: Padding | undefined;
  defaultValue: Padding;
  onChange: (value: Padding | undefined) => void;
}) {
  const t = useTexts('editing');
  const shownValue = value ?? defaultValue;
  return (
    <div>
      <Group justify="space-between" gap={4} mih={24}>
        <Text component="span" size="sm">
          {label}
        </Text>
        {value !== undefined && <Reset label={label} reset={() => onChange(undefined)} />}
      </Group>
      <div className={classes.edges}>
        {EDGES.map((edge) => (
          <label key={edge} className={classes.edge}>
            <NumberInput
              size="xs"
              hideControls
              min={0}
              max={400}
              aria-label={`${label}: ${t(`edges.${edge}`)}`}
              value={shownValue[edge]}
              onChange={(next) => {
                if (typeof next === 'number') onChange({ ...shownValue, [edge]: next });
              }}
            />
            <span aria-hidden="true">{t(`edges.${edge}`)}</span>
          </label>
        ))}
      </div>
    </div>
  );
}

const LINE_STYLES = ['solid', 'dashed', 'dotted'] as const;
const NO_LINE: Border = { width: 0, style: 'solid', color: '#e4e4e0' };

export function BorderRows({
  label,
  value,
  onChange,
  isFixed = false,
}: {
  label: string;
  value: Border | null | undefined;
  onChange: (value: Border | undefined) => void;
  isFixed?: boolean;
}) {
  const t = useTexts('editing');
  const line = value ?? NO_LINE;
  return (
    <>
      <NumberRow
        label={label}
        value={line.width}
        max={20}
        onChange={(width) =>
          onChange(width || isFixed ? { ...line, width: width ?? 0 } : undefined)
        }
      />
      {line.width > 0 && (
        <>
          <ChoiceRow
            label={t('style.lineStyle')}
            value={line.style}
            onChange={(style) => onChange({ ...line, style })}
            data={LINE_STYLES.map((lineStyle) => ({
              value: lineStyle,
              label: t(`lines.${lineStyle}`),
            }))}
          />
          <ColorRow
            label={t('style.lineColour')}
            value={line.color}
            isFixed
            onChange={(color) => onChange({ ...line, color: color ?? line.color })}
          />
        </>
      )}
    </>
  );
}
