// Import from a file: drop or choose it, look at it, say what its columns are, start.
import { Anchor, Text } from '@mantine/core';
import { useAct } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { DropArea } from './drop-area.tsx';
import { ImportPage } from './import-page.tsx';
import { ImportPlan } from './import-plan.tsx';
import { api, touchWhereFull } from './queries.ts';
import { useSource } from './use-source.ts';

const template =
  'Email,First name,Last name,Phone number\r\nada@example.com,Ada,Lovelace,+442079460018\r\n';

export default function FileScreen() {
  const t = useTexts('imports');
  const source = useSource();
  const upload = useAct(
    (file: File) => {
      const form = new FormData();
      form.append('file', file);
      return api.upload('POST /client-api/api/subscribers/import_file', form);
    },
    { onDone: source.take },
  );
  if (source.id !== '') {
    return (
      <ImportPage>
        <ImportPlan
          id={source.id}
          gone={{ title: t('file.gone'), label: t('plan.back.file') }}
          onBack={source.drop}
        />
      </ImportPage>
    );
  }
  return (
    <ImportPage>
      <DropArea
        isBusy={upload.isPending}
        onFile={(file) => upload.mutate(file, { onError: touchWhereFull })}
      />
      <Text size="sm" c="dimmed" mt="md">
        {t('file.templateHint')}{' '}
        <Anchor
          href={`data:text/csv;charset=utf-8,${encodeURIComponent(template)}`}
          download="contacts.csv"
          size="sm"
        >
          {t('file.template')}
        </Anchor>
      </Text>
    </ImportPage>
  );
}
