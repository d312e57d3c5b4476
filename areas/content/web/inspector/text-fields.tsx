// Text style: font, weight and alignment.
import { SegmentedControl } from '@mantine/core';
import { IconAlignCenter, IconAlignLeft, IconAlignRight } from '@tabler/icons-react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import type { Align } from '../../document.ts';
import { FONTS, findFont } from '../../fonts.ts';
import { Row, type DefaultedFieldProps } from '#platform/web/editing/field-parts.tsx';
import { ChoiceRow } from '#platform/web/editing/fields.tsx';
import classes from './inspector.module.css';

const ALIGN_ICONS = { start: IconAlignLeft, center: IconAlignCenter, end: IconAlignRight };
const ALIGNS: readonly Align[] = ['start', 'center', 'end'];

export function AlignRow({
  value,
  defaultAlign,
  onChange,
  label,
}: {
  value: Align | undefined;
  /** Default alignment. */
  defaultAlign?: Align;
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
        value={value ?? defaultAlign ?? ''}
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

const listFontNames = (kind: string) =>
  FONTS.filter((font) => font.kind === kind).map(({ name }) => name);

export function FontRow({
  label,
  value,
  defaultValue,
  onChange,
  isFixed,
}: DefaultedFieldProps<string>) {
  const t = useTexts('content');
  return (
    <Row label={label}>
      <SearchableSelect
        size="xs"
        aria-label={label}
        placeholder={defaultValue ?? ''}
        value={value ?? null}
        clearable={!isFixed}
        clearButtonProps={{ 'aria-label': `${t('style.reset')}: ${label}` }}
        comboboxProps={{ shadow: 'md', width: 220, position: 'bottom-end' }}
        data={[
          { group: t('style.systemFonts'), items: listFontNames('system') },
          { group: t('style.webFonts'), items: listFontNames('web') },
        ]}
        renderOption={({ option }) => (
          <span style={{ fontFamily: findFont(option.value).stack }}>{option.label}</span>
        )}
        onChange={(next) => {
          if (next !== null) onChange(next);
          else if (!isFixed) onChange(undefined);
        }}
      />
    </Row>
  );
}

export function WeightRow({ font, ...props }: DefaultedFieldProps<number> & { font: string }) {
  const t = useTexts('content');
  const { weights } = findFont(font);
  const defaultOption = { value: '', label: t('style.usual') };
  return (
    <ChoiceRow
      label={props.label}
      value={props.value === undefined ? '' : String(props.value)}
      onChange={(next) => props.onChange(next === '' ? undefined : Number(next))}
      data={[
        ...(props.isFixed ? [] : [defaultOption]),
        ...weights.map((weight) => ({ value: String(weight), label: String(weight) })),
        ...(props.value === undefined || weights.includes(props.value)
          ? []
          : [{ value: String(props.value), label: String(props.value) }]),
      ]}
    />
  );
}
