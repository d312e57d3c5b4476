// The user's identities at the identity provider of the installation. Nothing is shown without a
// provider.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api/api.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { oidcCalls } from '../../oidc-contract.ts';
import { Section } from './section.tsx';

const api = client<typeof oidcCalls>();
const IDENTITIES = '/client-api/api/identities';

export default function SingleSignOn() {
  const t = useTexts('accounts');
  const { dateTime } = useFormats();
  const methods = useQuery({
    ...api.query('GET /auth/api/methods'),
    staleTime: Infinity,
    meta: { notFound: 'inline' },
  });
  const title = methods.data?.data.oidc;
  const identities = useQuery({
    ...api.query('GET /client-api/api/identities'),
    enabled: Boolean(title),
  });
  const connect = useAction(() => api('POST /client-api/api/identities'), {
    onDone: ({ data }) => location.assign(data.url),
  });
  const remove = useAction(
    (id: string) => api('DELETE /client-api/api/identities/{id}', { params: { id } }),
    { invalidates: [IDENTITIES] },
  );
  if (!title) return null;
  const rows = identities.data?.data ?? [];
  return (
    <Section title={t('sso.title')} text={t('sso.text', { title })}>
      <Stack gap="sm" align="start">
        {rows.map((identity) => (
          <Group key={identity.id} gap="md">
            <div>
              <bdi>{identity.email || identity.title}</bdi>
              <Text size="xs" c="dimmed">
                {t('sso.used', { at: dateTime(identity.used) })}
              </Text>
            </div>
            <Button
              size="compact-sm"
              variant="default"
              loading={remove.isPending}
              onClick={() => remove.mutate(identity.id)}
            >
              {t('sso.disconnect')}
            </Button>
          </Group>
        ))}
        {rows.length === 0 && (
          <Button
            variant="default"
            loading={connect.isPending}
            onClick={() => connect.mutate(undefined)}
          >
            {t('sso.connect', { title })}
          </Button>
        )}
      </Stack>
    </Section>
  );
}
