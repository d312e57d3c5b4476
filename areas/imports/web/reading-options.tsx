// Options for reading the file: the detected settings, and controls to change them.
import { NumberInput, Select, Switch } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { ImportPreview } from '../contract.ts';
import {
  DELIMITERS,
  type Delimiter,
  ENCODINGS,
  type FileEncoding,
  MAX_HEADER_ROW,
} from '../shared.ts';
import classes from './import-plan.module.css';
import type { ReadingChoice } from './queries.ts';

const delimiterNames: Record<Delimiter, string> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'bar',
};

export interface ReadingOptionsProps {
  preview: ImportPreview;
  onChange: (change: ReadingChoice) => void;
}

export function ReadingOptions({ preview, onChange }: ReadingOptionsProps) {
  const t = useTexts('imports');
  return (
    <div className={classes.options}>
      <Select
        label={t('reading.delimiter')}
        w={170}
        allowDeselect={false}
        value={preview.delimiter}
        onChange={(value) => value && onChange({ delimiter: value as Delimiter })}
        data={DELIMITERS.map((value) => ({
          value,
          label: t(`reading.delimiters.${delimiterNames[value]}`),
        }))}
      />
      {preview.method === 'file' && (
        <Select
          label={t('reading.encoding')}
          w={270}
          allowDeselect={false}
          value={preview.encoding}
          onChange={(value) => value && onChange({ encoding: value as FileEncoding })}
          data={ENCODINGS.map((value) => ({ value, label: t(`reading.encodings.${value}`) }))}
        />
      )}
      {preview.has_header && (
        <NumberInput
          label={t('reading.headerRow')}
          w={150}
          min={1}
          max={MAX_HEADER_ROW}
          allowDecimal={false}
          clampBehavior="strict"
          value={preview.header_row}
          onChange={(value) => typeof value === 'number' && onChange({ header_row: value })}
        />
      )}
      <Switch
        label={t('reading.header')}
        checked={preview.has_header}
        onChange={(event) => onChange({ has_header: event.currentTarget.checked })}
        mb={8}
      />
    </div>
  );
}
