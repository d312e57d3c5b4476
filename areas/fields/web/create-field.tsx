// Creates a field: its title, which determines the merge tag, and its permanent type.
import { Radio, type RadioGroupProps, Stack, Text, TextInput } from '@mantine/core';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useOpenedHere } from '#platform/web/hooks/use-opened.ts';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { FIELD_TYPES, toFieldName, MAX_TITLE_LENGTH } from '../shared.ts';
import { api, LIST_PATH } from './queries.ts';

const MIN_TITLE_LENGTH = 3;

export function CreateField({ onClose }: { onClose: () => void }) {
  const t = useTexts('fields');
  const p = useTexts('platform');
  const { form, isBusy, submit, discard } = useKeptForm('field:new', {
    initialValues: { title: '', type: 'text' },
    validate: {
      title: (title) =>
        title.trim() === ''
          ? p('input.fieldRequired')
          : [...title.trim()].length < MIN_TITLE_LENGTH
            ? p('input.titleTooShort')
            : null,
    },
    send: async ({ title, type }) => {
      const knownType = FIELD_TYPES.find((fieldType) => fieldType === type) ?? 'text';
      await api('POST /client-api/api/fields', { body: { title, type: knownType } });
      onClose();
      toast(t('create.done', { title: title.trim() }));
      await invalidate(LIST_PATH);
    },
  });
  const { title } = form.getValues();
  return (
    <Dialog opened={useOpenedHere()} onClose={onClose} title={t('create.title')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextInput
            label={t('columns.title')}
            placeholder={t('create.example')}
            maxLength={MAX_TITLE_LENGTH}
            data-autofocus
            {...form.getInputProps('title')}
          />
          {title.trim() !== '' && (
            <Text size="xs" c="dimmed">
              {t('create.tag')} <code dir="ltr">{`{{${toFieldName(title, () => false)}}}`}</code>
            </Text>
          )}
          <TypeChoice {...form.getInputProps('type')} />
          <FormButtons close={() => discard(onClose)} isBusy={isBusy}>
            {t('create.confirm')}
          </FormButtons>
        </Stack>
      </form>
    </Dialog>
  );
}

function TypeChoice(props: Omit<RadioGroupProps, 'children' | 'label' | 'description'>) {
  const t = useTexts('fields');
  return (
    <Radio.Group label={t('columns.type')} description={t('create.typeHint')} {...props}>
      <Stack gap="xs" mt="xs">
        {FIELD_TYPES.map((type) => (
          <Radio
            key={type}
            value={type}
            label={t(`types.${type}`)}
            description={t(`typeHints.${type}`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
