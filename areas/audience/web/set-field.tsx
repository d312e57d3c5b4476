// Sets one custom field of the selected subscribers.
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { queryAllFields } from '#areas/fields/web/index.ts';
import { fieldMessages } from '#platform/web/api-error.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { useOpenedHere } from '#platform/web/hooks/use-opened.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import {
  formatBothInterpretations,
  getDecimalMark,
  isAmbiguous,
} from '#platform/web/texts/format-stored-number.ts';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { ValueInput, serializeInput } from './value-input.tsx';
import { api, type Bulk } from './queries.ts';
import type { ListSelection } from './selection.ts';

interface SetFieldProps {
  selection: ListSelection;
  onClose: () => void;
  onDone: (result: Bulk, message: string) => Promise<void>;
}

export default function SetField(props: SetFieldProps) {
  const { selection, onClose } = props;
  const t = useTexts('audience');
  const { fields, field, typed, fault, isBusy, lacksField, choose, type, send } =
    useSetField(props);
  const { count } = selection;
  return (
    <Dialog opened={useOpenedHere()} onClose={onClose} title={t('bulk.setFieldTitle', { count })}>
      <form onSubmit={(event) => void send(event)} noValidate>
        <Stack gap="md">
          {fields.length === 0 && <Text size="sm">{t('bulk.noFields')}</Text>}
          <SearchableSelect
            label={t('bulk.field')}
            error={lacksField && t('platform:fields.choose')}
            data={fields.map(({ id, title }) => ({ value: id, label: title }))}
            value={field?.id ?? null}
            onChange={choose}
          />
          {field && (
            <ValueInput
              key={field.id}
              type={field.type}
              label={t('bulk.value')}
              description={t('bulk.valueHint')}
              value={typed}
              fault={fault}
              onType={type}
            />
          )}
          <FormButtons close={onClose} isBusy={isBusy}>
            {t('bulk.setField')}
          </FormButtons>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Holds the chosen field and the typed value, and submits them. */
function useSetField({ selection, onClose, onDone }: SetFieldProps) {
  const t = useTexts('audience');
  const { number } = useFormats();
  const fields = useQuery(queryAllFields()).data?.data ?? [];
  const [fieldId, setFieldId] = useState<string | null>(null);
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [lacksField, setLacksField] = useState(false);
  const field = fields.find(({ id }) => id === fieldId);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    if (!field) return setLacksField(true);
    const decimalMark = getDecimalMark(number);
    if (field.type === 'number' && isAmbiguous(typed, decimalMark))
      return setFault(
        t('platform:fields.ambiguousNumber', formatBothInterpretations(typed, number)),
      );
    const value = serializeInput(field.type, typed, decimalMark);
    setBusy(true);
    try {
      const body = {
        ...selection.requestBody,
        field: field.id,
        value: value === '' ? null : value,
      };
      const result = await api('POST /client-api/api/subscribers/set_field', { body });
      onClose();
      const messageValues = { count: result.count, field: field.title };
      await onDone(result, t('bulk.setFieldDone', messageValues));
    } catch (error) {
      const message = fieldMessages(error);
      if (message) setFault(message);
      else showError(error);
    } finally {
      setBusy(false);
    }
  };
  const choose = (id: string | null) => {
    setFieldId(id);
    setLacksField(false);
    setTyped('');
    setFault(undefined);
  };
  const type = (next: string) => {
    setTyped(next);
    setFault(undefined);
  };
  return { fields, field, typed, fault, isBusy, lacksField, choose, type, send };
}
