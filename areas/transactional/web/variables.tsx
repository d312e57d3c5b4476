// The variables of an email, used by its content or added by users, each with a sample value.
import { ActionIcon, Button, Code, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { VariableSample, TemplateDetails } from '../contract.ts';
import { MAX_SAMPLE, VARIABLE_NAME } from '../shared.ts';
import classes from './overview.module.css';
import { api, affectedQueries } from './queries.ts';

const EXAMPLE_NAME = 'order_number';

interface VariableRowState {
  name: string;
  isUsed: boolean;
  isList: boolean;
  text: string;
  sample: VariableSample;
}

const rowOf = ({
  name,
  sample,
  is_used: isUsed,
}: TemplateDetails['variables'][number]): VariableRowState => ({
  ...{ name, isUsed, sample, isList: Array.isArray(sample), text: textOf(sample) },
});

const textOf = (sample: VariableSample) =>
  Array.isArray(sample) ? JSON.stringify(sample, null, 2) : String(sample);

/** Reads a typed sample; undefined if a list is expected and the text is not a JSON array. */
function sampleOf({ text, sample, isList }: VariableRowState): VariableSample | undefined {
  if (text === textOf(sample)) return sample;
  if (!isList) return text;
  try {
    const list = JSON.parse(text) as unknown;
    return Array.isArray(list) ? (list as VariableSample) : undefined;
  } catch {
    return undefined;
  }
}

export function Variables({ email }: { email: TemplateDetails }) {
  const t = useTexts('transactional');
  const initialRows = email.variables.map(rowOf);
  const [rows, setRows] = useState(initialRows);
  const isChanged = JSON.stringify(rows) !== JSON.stringify(initialRows);
  const isValid = rows.every((row) => sampleOf(row) !== undefined);
  const save = useSave(email, rows);
  const setText = (name: string, text: string) =>
    setRows(rows.map((row) => (row.name === name ? { ...row, text } : row)));
  return (
    <section aria-labelledby="variables" className={classes.narrow}>
      <Text component="h2" id="variables" fw={600} m={0}>
        {t('variables.title')}
      </Text>
      <Text size="sm" c="dimmed" mb="sm">
        {t(rows.length === 0 ? 'variables.none' : 'variables.text')}
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged && isValid) save.mutate(undefined);
        }}
      >
        <Stack gap="sm">
          {rows.map((row) => (
            <VariableRow
              key={row.name}
              row={row}
              onChange={(text) => setText(row.name, text)}
              remove={() => setRows(rows.filter(({ name }) => name !== row.name))}
            />
          ))}
          <NewVariable
            names={rows.map(({ name }) => name)}
            onAdd={(name) =>
              setRows([...rows, { name, isUsed: false, isList: false, text: name, sample: name }])
            }
          />
          {isChanged && (
            <Group justify="flex-end">
              <Button type="submit" size="xs" loading={save.isPending} disabled={!isValid}>
                {t('variables.save')}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </section>
  );
}

function useSave({ id, revision }: TemplateDetails, rows: readonly VariableRowState[]) {
  const t = useTexts('transactional');
  return useAction(
    () => {
      const variables = rows.map((row) => ({
        name: row.name,
        sample: sampleOf(row) as VariableSample,
      }));
      return api('PATCH /client-api/api/transactional/{id}', {
        params: { id },
        body: { variables, revision },
      });
    },
    {
      onDone: async () => {
        toast(t('variables.saved'));
        await invalidate(...affectedQueries(id));
      },
    },
  );
}

function VariableRow(props: {
  row: VariableRowState;
  onChange: (text: string) => void;
  remove: () => void;
}) {
  const { row, onChange, remove } = props;
  const t = useTexts('transactional');
  const field = {
    size: 'xs',
    'aria-label': t('variables.sample', { name: row.name }),
    value: row.text,
    maxLength: MAX_SAMPLE,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  } as const;
  return (
    <div className={classes.variable}>
      <div className={classes.variableName}>
        <Code dir="ltr">{row.name}</Code>
        {!row.isUsed && (
          <Text size="xs" c="dimmed">
            {t('variables.unused')}
          </Text>
        )}
      </div>
      {row.isList ? (
        <Textarea
          {...field}
          dir="ltr"
          autosize
          minRows={2}
          maxRows={10}
          description={t('variables.listHint')}
          error={sampleOf(row) === undefined && t('variables.badList')}
        />
      ) : (
        <TextInput {...field} dir="auto" />
      )}
      {row.isUsed ? (
        <span />
      ) : (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('variables.remove', { name: row.name })}
          onClick={remove}
        >
          <IconX size={16} stroke={1.75} />
        </ActionIcon>
      )}
    </div>
  );
}

function NewVariable({
  names,
  onAdd,
}: {
  names: readonly string[];
  onAdd: (name: string) => void;
}) {
  const t = useTexts('transactional');
  const [name, setName] = useState('');
  const [error, setError] = useState<string>();
  const submit = () => {
    const trimmedName = name.trim();
    if (!VARIABLE_NAME.test(trimmedName)) return setError(t('variables.badName'));
    if (names.includes(trimmedName)) return setError(t('variables.taken'));
    onAdd(trimmedName);
    setName('');
  };
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <TextInput
        size="xs"
        dir="ltr"
        flex={1}
        aria-label={t('variables.name')}
        placeholder={EXAMPLE_NAME}
        value={name}
        error={error}
        maxLength={200}
        onChange={(event) => {
          setName(event.currentTarget.value);
          setError(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          submit();
        }}
      />
      <Button
        size="xs"
        variant="default"
        flex="none"
        leftSection={<IconPlus size={16} stroke={1.75} />}
        onClick={submit}
      >
        {t('variables.add')}
      </Button>
    </Group>
  );
}
