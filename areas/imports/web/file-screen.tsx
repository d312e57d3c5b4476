// The screen to import a file: the user chooses it, sees a preview, maps its columns and starts.
import { Anchor, Text } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FileSource } from './file-source.tsx';
import { ImportPage } from './import-page.tsx';
import { useSource } from './use-source.ts';

const TEMPLATE =
  'Email,First name,Last name,Phone number\r\nada@example.com,Ada,Lovelace,+442079460018\r\n';

export default function FileScreen() {
  const t = useTexts('imports');
  const source = useSource();
  return (
    <ImportPage>
      <FileSource />
      {source.id === '' && (
        <Text size="sm" c="dimmed" mt="md">
          {t('file.templateHint')}{' '}
          <Anchor
            href={`data:text/csv;charset=utf-8,${encodeURIComponent(TEMPLATE)}`}
            download="contacts.csv"
            size="sm"
          >
            {t('file.template')}
          </Anchor>
        </Text>
      )}
    </ImportPage>
  );
}
