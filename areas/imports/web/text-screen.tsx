// The screen to import pasted text: a list of addresses, or rows with columns.
import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '#platform/web/api/queries.ts';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { MAX_PASTED_LENGTH } from '../shared.ts';
import { ImportPage } from './import-page.tsx';
import { ImportPlan } from './import-plan.tsx';
import { api, refreshUploadsIfFull } from './queries.ts';
import { useSource } from './use-source.ts';

export default function TextScreen() {
  const t = useTexts('imports');
  const source = useSource();
  const [pasted, setPasted] = useState('');
  const [uploaded, setUploaded] = useState('');
  useUnsaved({
    name: 'imports.text',
    // Text that differs from the uploaded list is stored nowhere else.
    unsaved: pasted === '' || (source.id !== '' && pasted === uploaded) ? undefined : pasted,
    restore: (draft: string) => setPasted(draft),
    discard: () => setPasted(''),
    onLeave: 'store',
  });
  const upload = useAction(
    (subscribers: string) =>
      api('POST /client-api/api/subscribers/text_import', { body: { subscribers } }),
    {
      onDone: (response, subscribers) => {
        setUploaded(subscribers);
        source.setUpload(response);
      },
    },
  );
  if (source.id !== '') {
    return (
      <ImportPage>
        <ImportPlan
          id={source.id}
          missingNotice={{ title: t('text.gone'), label: t('plan.back.text') }}
          onBack={source.clear}
        />
      </ImportPage>
    );
  }
  return (
    <ImportPage>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (pasted.trim() !== '') upload.mutate(pasted, { onError: refreshUploadsIfFull });
        }}
      >
        <Textarea
          label={t('text.label')}
          description={t('text.hint')}
          value={pasted}
          onChange={(event) => setPasted(event.currentTarget.value)}
          maxLength={MAX_PASTED_LENGTH}
          minRows={12}
          rows={12}
          dir="ltr"
          spellCheck={false}
          placeholder={'ada@example.com, Ada, Lovelace\nbob@example.com, Bob, Smith'}
        />
        <Button type="submit" mt="md" loading={upload.isPending} disabled={pasted.trim() === ''}>
          {t('text.continue')}
        </Button>
      </form>
    </ImportPage>
  );
}
