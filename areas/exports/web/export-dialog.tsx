// Options of an export: file format, and columns.
import { Button, Checkbox, Group, Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryAllFields } from '#areas/fields/web/index.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useOpenedHere } from '#platform/web/hooks/use-opened.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import { type ExportFormat, FORMATS, OWN_COLUMNS, USUAL_COLUMNS } from '../shared.ts';
import type { ExportChoice } from './export-button.tsx';
import classes from './export-dialog.module.css';
import { followExport } from './follow-export.ts';
import { api, LIST_PATH } from './queries.ts';

interface Props {
  choice: ExportChoice;
  count: number;
  onClose: () => void;
}

interface OfferedColumn {
  id: string;
  title: string;
}

export default function ExportDialog({ choice, count, onClose }: Props) {
  const t = useTexts('exports');
  const fields = useQuery(queryAllFields());
  return (
    <Dialog
      opened={useOpenedHere()}
      onClose={onClose}
      size="lg"
      title={t('dialog.title', { count })}
    >
      {fields.data ? (
        <Choices choice={choice} fields={fields.data.data} onClose={onClose} />
      ) : fields.isError ? (
        <FailedState error={fields.error} retry={() => void fields.refetch()} />
      ) : (
        <LoadingState rows={6} />
      )}
    </Dialog>
  );
}

function Choices(props: Omit<Props, 'count'> & { fields: readonly OfferedColumn[] }) {
  const { choice, fields, onClose } = props;
  const t = useTexts('exports');
  const p = useTexts('platform');
  const [format, setFormat] = useState<ExportFormat>('csv');
  const defaultColumns = OWN_COLUMNS.map(
    (id): OfferedColumn => ({ id, title: t(`columns.${id}`) }),
  );
  const all = [...defaultColumns, ...fields].map(({ id }) => id);
  const [selectedColumns, setChosen] = useState<ReadonlySet<string>>(
    () => new Set([...USUAL_COLUMNS, ...fields.map(({ id }) => id)]),
  );
  const start = useAction(
    () =>
      api('POST /client-api/api/exports', {
        body: { ...choice, format, columns: all.filter((id) => selectedColumns.has(id)) },
      }),
    {
      invalidates: [LIST_PATH],
      onDone: ({ data }) => {
        onClose();
        toast(t('started'), { id: `export:${data.id}` });
        followExport(data.id);
      },
    },
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate(undefined);
      }}
    >
      <Stack gap="lg">
        <FormatChoice value={format} onChange={setFormat} />
        <Columns
          ownColumns={defaultColumns}
          fields={fields}
          selectedColumns={selectedColumns}
          onChange={setChosen}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {p('confirm.cancel')}
          </Button>
          <Button type="submit" loading={start.isPending} disabled={selectedColumns.size === 0}>
            {t('dialog.start')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface FormatChoiceProps {
  value: ExportFormat;
  onChange: (format: ExportFormat) => void;
}

function FormatChoice({ value: format, onChange }: FormatChoiceProps) {
  const t = useTexts('exports');
  return (
    <Radio.Group
      label={t('dialog.format')}
      value={format}
      onChange={(value) => onChange(value as ExportFormat)}
    >
      <Stack gap="xs" mt="xs">
        {FORMATS.map((format) => (
          <Radio
            key={format}
            value={format}
            label={t(`formats.${format}`)}
            description={t(`hints.${format}`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}

interface ColumnsProps {
  ownColumns: readonly OfferedColumn[];
  fields: readonly OfferedColumn[];
  selectedColumns: ReadonlySet<string>;
  onChange: (selectedColumns: ReadonlySet<string>) => void;
}

function Columns({ ownColumns, fields, selectedColumns, onChange }: ColumnsProps) {
  const t = useTexts('exports');
  const { number } = useFormats();
  const all = [...ownColumns, ...fields];
  const areAllSelected = selectedColumns.size === all.length;
  return (
    <div>
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Text size="sm" fw={500} aria-live="polite">
          {t('dialog.columns', { count: all.length, chosen: number(selectedColumns.size) })}
        </Text>
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => onChange(new Set(areAllSelected ? [] : all.map(({ id }) => id)))}
        >
          {t(areAllSelected ? 'dialog.none' : 'dialog.all')}
        </Button>
      </Group>
      <div className={classes.columns}>
        {all.map(({ id, title }) => (
          <Checkbox
            key={id}
            label={<bdi>{title}</bdi>}
            checked={selectedColumns.has(id)}
            onChange={(event) =>
              onChange(withColumn(selectedColumns, id, event.currentTarget.checked))
            }
          />
        ))}
      </div>
      {selectedColumns.size === 0 && (
        <Text size="sm" c="danger" role="alert" mt="xs">
          {t('dialog.needColumn')}
        </Text>
      )}
    </div>
  );
}

function withColumn(
  selectedColumns: ReadonlySet<string>,
  id: string,
  isIn: boolean,
): ReadonlySet<string> {
  const next = new Set(selectedColumns);
  if (isIn) next.add(id);
  else next.delete(id);
  return next;
}
