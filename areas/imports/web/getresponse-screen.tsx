// Imports from GetResponse: all contacts of the key's account are fetched, and the import is then
// set up as for an uploaded file.
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { ExportInstead } from './export-instead.tsx';
import { FetchedPlan } from './fetched-plan.tsx';
import { ImportPage } from './import-page.tsx';
import { KeyField } from './key-field.tsx';
import classes from './key-screen.module.css';
import { api } from './queries.ts';
import { useKeyAction } from './use-key-action.ts';
import { useSource } from './use-source.ts';

const SERVICE = 'GetResponse';

export default function GetresponseScreen() {
  const t = useTexts('imports');
  const source = useSource();
  const [key, setKey] = useState('');
  const startImport = useKeyAction(
    () => api('POST /client-api/api/subscribers/getresponse_import', { body: { api_key: key } }),
    ({ data }) => source.setId(data.id),
  );
  if (source.id !== '')
    return (
      <ImportPage>
        <FetchedPlan id={source.id} service={SERVICE} onBack={source.clear} />
      </ImportPage>
    );
  return (
    <ImportPage>
      <form
        className={classes.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          startImport.run();
        }}
      >
        <ExportInstead service="getresponse" />
        <KeyField service={SERVICE} value={key} error={startImport.error} onChange={setKey} />
        <Group>
          <Button type="submit" loading={startImport.isBusy} disabled={key.trim() === ''}>
            {t('key.fetch')}
          </Button>
        </Group>
      </form>
    </ImportPage>
  );
}
