// Import from pasted text: a list of addresses, or rows with columns.
import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { text, useAddress } from '#platform/web/address.ts';
import { queryClient, useAct } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { useUnsaved } from '#platform/web/use-unsaved.ts';
import { maxPastedLength } from '../limits.ts';
import { ImportPage } from './import-page.tsx';
import { ImportPlan } from './import-plan.tsx';
import { api } from './queries.ts';

const address = { source: text('') };

export default function TextScreen() {
  const t = useTexts('imports');
  const [{ source }, set] = useAddress(address);
  const [pasted, setPasted] = useState('');
  useUnsaved({
    name: 'imports.text',
    unsaved: pasted === '' || source !== '' ? undefined : pasted,
    restore: (kept: string) => setPasted(kept),
  });
  const read = useAct(
    (subscribers: string) =>
      api('POST /client-api/api/subscribers/text_import', { body: { subscribers } }),
    {
      onDone: ({ data }) => {
        const { queryKey } = api.query('GET /client-api/api/imports/{id}/preview', {
          params: { id: data.id },
          query: {},
        });
        queryClient.setQueryData(queryKey, { data });
        set({ source: data.id });
      },
    },
  );
  if (source !== '') {
    return (
      <ImportPage>
        <ImportPlan id={source} onBack={() => set({ source: '' })} />
      </ImportPage>
    );
  }
  return (
    <ImportPage>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (pasted.trim() !== '') read.mutate(pasted);
        }}
      >
        <Textarea
          label={t('text.label')}
          description={t('text.hint')}
          value={pasted}
          onChange={(event) => setPasted(event.currentTarget.value)}
          maxLength={maxPastedLength}
          minRows={12}
          rows={12}
          dir="ltr"
          spellCheck={false}
          placeholder={'ada@example.com, Ada, Lovelace\nbob@example.com, Bob, Smith'}
        />
        <Button type="submit" mt="md" loading={read.isPending} disabled={pasted.trim() === ''}>
          {t('text.continue')}
        </Button>
      </form>
    </ImportPage>
  );
}
