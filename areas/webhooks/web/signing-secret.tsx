// Shows the signing secret, masked until revealed, with buttons to copy and rotate it.
import { Button, Code, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import { FailedState } from '#platform/web/ui/states.tsx';
import { api, LIST_PATH } from './queries.ts';

export function SigningSecret() {
  const t = useTexts('webhooks');
  const { dateTime } = useFormats();
  const [isShown, setShown] = useState(false);
  const secretQuery = useQuery(api.query('GET /client-api/api/webhooks/secret'));
  if (secretQuery.isError && !secretQuery.data)
    return <FailedState error={secretQuery.error} retry={() => void secretQuery.refetch()} />;
  const secret = secretQuery.data?.data;
  const rotate = async () => {
    const isDone = await confirm({
      title: t('secret.rotateTitle'),
      message: t('secret.rotateText'),
      confirm: t('secret.rotate'),
      run: () => api('POST /client-api/api/webhooks/secret'),
    });
    if (!isDone) return;
    await invalidate(`${LIST_PATH}/secret`);
    toast(t('secret.rotated'));
  };
  return (
    <section aria-labelledby="signing-secret">
      <Title order={2} size="h4" id="signing-secret">
        {t('secret.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('secret.text')}
      </Text>
      {secret && (
        <Group gap="xs">
          <Code dir="ltr">{isShown ? secret.secret : `whsec_${'•'.repeat(24)}`}</Code>
          <Button size="xs" variant="default" onClick={() => setShown(!isShown)}>
            {t(isShown ? 'secret.hide' : 'secret.show')}
          </Button>
          <CopyButton value={secret.secret} label={t('secret.copy')} />
          <Button size="xs" variant="default" onClick={() => void rotate()}>
            {t('secret.rotate')}
          </Button>
        </Group>
      )}
      {secret?.former_until && (
        <Text size="sm" mt="xs">
          {t('secret.former', { until: dateTime(secret.former_until) })}
        </Text>
      )}
    </section>
  );
}
