// Imports from Mailchimp: the API key loads the account's audiences (`lists` in code). The chosen
// ones are fetched, and the import is then set up as for an uploaded file.
import { Button, Checkbox, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { ExportInstead } from './export-instead.tsx';
import { FetchedPlan } from './fetched-plan.tsx';
import { ImportPage } from './import-page.tsx';
import { KeyField } from './key-field.tsx';
import classes from './key-screen.module.css';
import { api } from './queries.ts';
import { useKeyAction } from './use-key-action.ts';
import { useSource } from './use-source.ts';

const SERVICE = 'Mailchimp';

export default function MailchimpScreen() {
  const source = useSource();
  return (
    <ImportPage>
      {source.id === '' ? (
        <KeyAndLists onFetching={source.setId} />
      ) : (
        <FetchedPlan id={source.id} service={SERVICE} onBack={source.clear} />
      )}
    </ImportPage>
  );
}

type List = { id: string; title: string; subscribers: number };

function KeyAndLists({ onFetching }: { onFetching: (id: string) => void }) {
  const t = useTexts('imports');
  const [key, setKey] = useState('');
  const [lists, setLists] = useState<List[]>();
  const [listIds, setListIds] = useState<readonly string[]>([]);
  const loadLists = useKeyAction(
    () => api('POST /client-api/api/subscribers/mailchimp_lists', { body: { api_key: key } }),
    ({ data }) => {
      setLists(data);
      setListIds(data.map((list) => list.id));
    },
  );
  const startImport = useKeyAction(
    () =>
      api('POST /client-api/api/subscribers/mailchimp_import', {
        body: { api_key: key, lists: [...listIds] },
      }),
    ({ data }) => onFetching(data.id),
  );
  const isReady = lists !== undefined && lists.length > 0;
  return (
    <form
      className={classes.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) startImport.run();
        else loadLists.run();
      }}
    >
      <ExportInstead service="mailchimp" />
      <KeyField
        service={SERVICE}
        value={key}
        error={loadLists.error ?? startImport.error}
        onChange={(value) => {
          setKey(value);
          setLists(undefined);
        }}
      />
      {lists?.length === 0 && (
        <Text size="sm" role="status">
          {t('key.noLists', { service: SERVICE })}
        </Text>
      )}
      {isReady && <Lists lists={lists} selectedIds={listIds} onChange={setListIds} />}
      <Group>
        <Button
          type="submit"
          loading={loadLists.isBusy || startImport.isBusy}
          disabled={key.trim() === '' || (isReady && listIds.length === 0)}
        >
          {t(isReady ? 'key.fetch' : 'key.open')}
        </Button>
      </Group>
    </form>
  );
}

interface ListsProps {
  lists: readonly List[];
  selectedIds: readonly string[];
  onChange: (listIds: readonly string[]) => void;
}

function Lists({ lists, selectedIds: listIds, onChange }: ListsProps) {
  const t = useTexts('imports');
  const { number } = useFormats();
  return (
    <Checkbox.Group
      label={t('key.lists')}
      description={t('key.listsHint')}
      value={[...listIds]}
      onChange={onChange}
    >
      <div className={classes.lists}>
        {lists.map((list) => (
          <Checkbox
            key={list.id}
            value={list.id}
            label={<bdi>{list.title}</bdi>}
            description={t('key.people', {
              count: list.subscribers,
              shown: number(list.subscribers),
            })}
          />
        ))}
      </div>
    </Checkbox.Group>
  );
}
