// Suggests an alternative text for an image. The image is sent to the model only after the user has
// seen the request and confirmed it.
import { Button, Group } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { Suspense, useContext, useState } from 'react';
import { AssistDialog, type AssistProgress } from '#areas/models/web/index.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { DocumentImage } from '../../document.ts';
import { EditorPropsContext } from '../editor-props.ts';
import { api } from '../queries.ts';
import { Pair } from './comparison.tsx';

export interface AltAssistProps {
  image: DocumentImage;
  onChoose: (alt: string) => void;
}

export default function AltAssist({ image, onChoose }: AltAssistProps) {
  const t = useTexts('content');
  const { account } = useSession();
  const language = useContext(EditorPropsContext)?.language ?? account.language;
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const run = async (is_confirmed: boolean, { signal }: AssistProgress) => {
    const body = { src: image.src, language, is_confirmed };
    const { data } = await api('POST /client-api/api/images/alt_text', { body, signal });
    const alt = data.alt ?? '';
    const use = () => {
      onChoose(alt);
      close();
    };
    const result = (
      <>
        <Pair before={image.alt} after={alt} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('assist.dismiss')}
          </Button>
          <Button onClick={use}>{t('assist.use')}</Button>
        </Group>
      </>
    );
    return { request: data.request, result };
  };
  return (
    <>
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconSparkles size={16} stroke={1.75} />}
          onClick={() => setOpen(true)}
        >
          {t('assist.alt')}
        </Button>
      </Group>
      {isOpen && (
        <Suspense fallback={null}>
          <AssistDialog title={t('assist.alt')} isOpen close={close} run={run} />
        </Suspense>
      )}
    </>
  );
}
