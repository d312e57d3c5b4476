// The form that creates a webhook: an address, a topic and, for topics about a group, the group.
import { Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryAllGroups, createGroup } from '#areas/groups/web/index.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { TestToolNote } from '#platform/web/ui/test-tools.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useOpened } from '#platform/web/hooks/use-opened.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { GROUP_TOPICS, TOPICS, type Topic, MAX_URL } from '../shared.ts';
import { api, LIST_PATH } from './queries.ts';

export default function CreateEndpoint({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const t = useTexts('webhooks');
  return (
    <Dialog opened={useOpened(isOpen)} onClose={close} title={t('create')}>
      {isOpen && <EndpointForm close={close} />}
    </Dialog>
  );
}

function EndpointForm({ close }: { close: () => void }) {
  const t = useTexts('webhooks');
  const groups = useQuery(queryAllGroups());
  const { form, isBusy, submit, discard } = useKeptForm('webhook:new', {
    initialValues: { url: '', topic: 'subscribers/new' as Topic, relation_id: '' },
    validate: {
      url: (url) => (URL.canParse(url.trim()) ? null : t('fields.urlInvalid')),
    },
    send: async ({ url, topic, relation_id }) => {
      const group = GROUP_TOPICS.includes(topic) ? { relation_id } : {};
      await api('POST /client-api/api/webhooks', { body: { url: url.trim(), topic, ...group } });
      await invalidate(LIST_PATH);
      close();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label={t('fields.url')}
          description={t('fields.urlHint')}
          type="url"
          dir="ltr"
          maxLength={MAX_URL}
          data-autofocus
          {...form.getInputProps('url')}
        />
        <TestToolNote tool="hooks" />
        <Select
          label={t('columns.topic')}
          allowDeselect={false}
          data={TOPICS.map((value) => ({ value, label: t(`topics.${value}`) }))}
          {...form.getInputProps('topic')}
        />
        {GROUP_TOPICS.includes(form.getValues().topic) && (
          <SearchableSelect
            label={t('fields.group')}
            onCreate={createGroup}
            data={(groups.data?.data ?? []).map(({ id, title }) => ({ value: id, label: title }))}
            {...form.getInputProps('relation_id')}
          />
        )}
        <FormButtons close={() => discard(close)} isBusy={isBusy}>
          {t('create')}
        </FormButtons>
      </Stack>
    </form>
  );
}
