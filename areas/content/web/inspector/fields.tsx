// The fields of the inspector: small, alike, each writing straight into the document.
import {
  ActionIcon,
  ColorInput,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Switch,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import '@mantine/core/styles/ColorInput.layer.css';
import '@mantine/core/styles/ColorPicker.layer.css';
import '@mantine/core/styles/ColorSwatch.layer.css';
import '@mantine/core/styles/NumberInput.layer.css';
import {
  IconAlignCenter,
  IconAlignLeft,
  IconAlignRight,
  IconArrowBackUp,
} from '@tabler/icons-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import { useTexts } from '#platform/web/texts.ts';
import type { Align, Border, Colour, HideOn, Padding } from '../../document.ts';
import { isAddress } from '../../document-rules.ts';
import { FONTS, fontOf } from '../../fonts.ts';
import { useBrandColours } from '../brand/use-brand.ts';
import classes from './inspector.module.css';

/** A value that may be left to the mail's settings: undefined is "as usual". */
interface Usual<Value> {
  label: string;
  value: Value | undefined;
  usual?: Value | undefined;
  onChange: (value: Value | undefined) => void;
  /** Without it, the value cannot be taken back. */
  isFixed?: boolean;
}

export function Part({ title, children }: { title?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={classes.part} aria-labelledby={title ? id : undefined}>
      {title && (
        <h3 id={id} className={classes.partTitle}>
          {title}
        </h3>
      )}
      {children}
    </section>
  );
}

export function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.row}>
      <Text component="span" size="sm" className={classes.rowLabel} aria-hidden="true">
        {label}
      </Text>
      <div className={classes.rowField}>{children}</div>
    </div>
  );
}

const isColour = (text: string): text is Colour => /^#[0-9a-f]{6}$/i.test(text);

export function ColourRow({ label, value, usual, onChange, isFixed }: Usual<Colour>) {
  const t = useTexts('content');
  const brand = useBrandColours();
  return (
    <Row label={label}>
      <ColorInput
        size="xs"
        aria-label={label}
        format="hex"
        dir="ltr"
        placeholder={usual ?? t('style.none')}
        value={value ?? ''}
        swatches={[...brand, ...SWATCHES].slice(0, 14)}
        swatchesPerRow={7}
        withEyeDropper={false}
        leftSection={
          value === undefined && usual !== undefined ? (
            <span className={classes.usualColour} style={{ background: usual }} />
          ) : undefined
        }
        popoverProps={{ shadow: 'md', position: 'bottom-end' }}
        onChange={(text) => {
          if (isColour(text)) onChange(text.toLowerCase() as Colour);
          else if (text === '' && !isFixed) onChange(undefined);
        }}
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

function Reset({ label, reset }: { label: string; reset: () => void }) {
  const t = useTexts('content');
  return (
    <Tooltip label={t('style.reset')}>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={`${t('style.reset')}: ${label}`}
        onClick={reset}
      >
        <IconArrowBackUp size={14} stroke={1.75} />
      </ActionIcon>
    </Tooltip>
  );
}

export function NumberRow({
  label,
  value,
  usual,
  onChange,
  min = 0,
  max = 400,
  step = 1,
  suffix = ' px',
}: Usual<number> & { min?: number; max?: number; step?: number; suffix?: string }) {
  return (
    <Row label={label}>
      <NumberInput
        size="xs"
        classNames={{ input: classes.number }}
        aria-label={label}
        placeholder={usual === undefined ? '' : `${usual}${suffix}`}
        value={value ?? ''}
        min={min}
        max={max}
        step={step}
        suffix={suffix}
        decimalScale={step < 1 ? 2 : 0}
        clampBehavior="blur"
        onChange={(next) => {
          if (next === '') onChange(undefined);
          else if (typeof next === 'number' && next >= min && next <= max) onChange(next);
        }}
      />
    </Row>
  );
}

export function LineRow({
  label,
  value,
  onChange,
  placeholder,
  description,
  isAddressed = false,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  description?: string;
  isAddressed?: boolean;
}) {
  const t = useTexts('content');
  const [typed, setTyped] = useState(value);
  const given = useRef(value);
  // What is no address yet stays here: the document takes only what it may keep.
  const put = (next: string) => {
    setTyped(next);
    if (isAddressed && !isAddress(next)) return;
    given.current = next;
    onChange(next);
  };
  if (given.current !== value) {
    given.current = value;
    setTyped(value);
  }
  const isWrong = isAddressed && !isAddress(typed);
  return (
    <TextInput
      size="xs"
      label={label}
      description={description}
      placeholder={placeholder ?? (isAddressed ? 'https://' : undefined)}
      dir={isAddressed ? 'ltr' : 'auto'}
      value={typed}
      error={isWrong ? t('fields.addressWrong') : undefined}
      onChange={(event) => put(event.currentTarget.value)}
      onBlur={() => {
        // "shop.example" is meant as an address of the web.
        if (isWrong && /^[^\s:/@]+\.[^\s@]+$/.test(typed)) put(`https://${typed}`);
      }}
    />
  );
}

export function SwitchRow({
  label,
  value,
  onChange,
}: {
  label: string;
  value: boolean;
  onChange: (value: boolean) => void;
}) {
  return (
    <Switch
      size="xs"
      label={label}
      checked={value}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

export function ChoiceRow<Value extends string>({
  label,
  value,
  onChange,
  data,
}: {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  data: readonly { value: Value; label: string }[];
}) {
  return (
    <Row label={label}>
      <Select
        size="xs"
        aria-label={label}
        value={value}
        data={[...data]}
        allowDeselect={false}
        comboboxProps={{ shadow: 'md' }}
        onChange={(next) => {
          const chosen = data.find((one) => one.value === next);
          if (chosen) onChange(chosen.value);
        }}
      />
    </Row>
  );
}

/** On which screens a block or section is shown; what everybody needs is not to be hidden from any. */
export function ScreensRow({
  value,
  isNeeded,
  onChange,
}: {
  value: HideOn | null;
  isNeeded: boolean;
  onChange: (value: HideOn | null) => void;
}) {
  const t = useTexts('content');
  if (isNeeded) {
    return (
      <Text size="sm" c="dimmed">
        {t('hideOn.never')}
      </Text>
    );
  }
  return (
    <ChoiceRow
      label={t('hideOn.label')}
      value={value ?? 'none'}
      onChange={(next) => onChange(next === 'none' ? null : next)}
      data={(['none', 'mobile', 'desktop'] as const).map((one) => ({
        value: one,
        label: t(`hideOn.${one}`),
      }))}
    />
  );
}

const ALIGN_ICONS = { start: IconAlignLeft, center: IconAlignCenter, end: IconAlignRight };
const ALIGNS: readonly Align[] = ['start', 'center', 'end'];

export function AlignRow({
  value,
  usual,
  onChange,
  label,
}: {
  value: Align | undefined;
  /** Where it stands as long as nothing is chosen. */
  usual?: Align;
  onChange: (value: Align) => void;
  label?: string;
}) {
  const t = useTexts('content');
  const name = label ?? t('style.align');
  return (
    <Row label={name}>
      <SegmentedControl
        size="xs"
        aria-label={name}
        value={value ?? usual ?? ''}
        onChange={(next) => onChange(next as Align)}
        data={ALIGNS.map((align) => {
          const Icon = ALIGN_ICONS[align];
          return {
            value: align,
            label: (
              <span className={classes.align} title={t(`align.${align}`)}>
                <Icon size={16} stroke={1.75} />
                <span className={classes.hidden}>{t(`align.${align}`)}</span>
              </span>
            ),
          };
        })}
      />
    </Row>
  );
}

const groupOf = (kind: string) =>
  FONTS.filter((font) => font.kind === kind).map(({ name }) => name);

export function FontRow({ label, value, usual, onChange, isFixed }: Usual<string>) {
  const t = useTexts('content');
  return (
    <Row label={label}>
      <Select
        size="xs"
        searchable
        aria-label={label}
        placeholder={usual ?? ''}
        value={value ?? null}
        clearable={!isFixed}
        clearButtonProps={{ 'aria-label': `${t('style.reset')}: ${label}` }}
        comboboxProps={{ shadow: 'md', width: 220, position: 'bottom-end' }}
        data={[
          { group: t('style.systemFonts'), items: groupOf('system') },
          { group: t('style.webFonts'), items: groupOf('web') },
        ]}
        renderOption={({ option }) => (
          <span style={{ fontFamily: fontOf(option.value).stack }}>{option.label}</span>
        )}
        onChange={(next) => {
          if (next !== null) onChange(next);
          else if (!isFixed) onChange(undefined);
        }}
      />
    </Row>
  );
}

export function WeightRow({ font, ...props }: Usual<number> & { font: string }) {
  const t = useTexts('content');
  const { weights } = fontOf(font);
  const usual = { value: '', label: t('style.usual') };
  return (
    <ChoiceRow
      label={props.label}
      value={props.value === undefined ? '' : String(props.value)}
      onChange={(next) => props.onChange(next === '' ? undefined : Number(next))}
      data={[
        ...(props.isFixed ? [] : [usual]),
        ...weights.map((weight) => ({ value: String(weight), label: String(weight) })),
        ...(props.value === undefined || weights.includes(props.value)
          ? []
          : [{ value: String(props.value), label: String(props.value) }]),
      ]}
    />
  );
}

const EDGES = ['top', 'end', 'bottom', 'start'] as const;

export function PaddingRow({
  label,
  value,
  usual,
  onChange,
}: {
  label: string;
  value: Padding | undefined;
  usual: Padding;
  onChange: (value: Padding | undefined) => void;
}) {
  const t = useTexts('content');
  const shown = value ?? usual;
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
              value={shown[edge]}
              onChange={(next) => {
                if (typeof next === 'number') onChange({ ...shown, [edge]: next });
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
  const t = useTexts('content');
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
            data={LINE_STYLES.map((one) => ({ value: one, label: t(`lines.${one}`) }))}
          />
          <ColourRow
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
