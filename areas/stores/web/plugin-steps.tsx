// The setup of a plugin: downloads that are already configured and, for compatible plugins, the
// address to enter and a link to the API tokens.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import { PLUGIN_PLATFORMS, type PluginPlatform } from '../shared.ts';
import { api } from './queries.ts';

const STEPS = ['download', 'upload', 'activate'] as const;

export function PluginSteps() {
  const t = useTexts('stores');
  const address = `${window.location.origin}/v2/`;
  const download = useAction((platform: PluginPlatform) => downloadZip(platform));
  return (
    <Stack gap="sm">
      <ol>
        {STEPS.map((step) => (
          <li key={step}>
            <Text size="sm">{t(`ways.plugin.steps.${step}`)}</Text>
          </li>
        ))}
      </ol>
      <Group gap="xs">
        {PLUGIN_PLATFORMS.map((platform) => (
          <Button
            key={platform}
            loading={download.isPending && download.variables === platform}
            onClick={() => download.mutate(platform)}
          >
            {t('ways.plugin.get', { platform: t(`types.${platform}`) })}
          </Button>
        ))}
      </Group>
      <Text size="sm" c="dimmed">
        {t('ways.plugin.secret')}
      </Text>
      <Text size="sm">{t('ways.plugin.others')}</Text>
      <Group gap="xs">
        <Text fw={600} dir="ltr">
          {address}
        </Text>
        <CopyButton value={address} label={t('copy')} />
      </Group>
      <Anchor href="/settings/tokens">{t('ways.plugin.tokens')}</Anchor>
    </Stack>
  );
}

async function downloadZip(platform: PluginPlatform): Promise<void> {
  const { data } = await api('POST /client-api/api/store-plugins', { body: { platform } });
  const bytes = Uint8Array.from(atob(data.content), (character) => character.charCodeAt(0));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/zip' }));
  link.download = data.name;
  link.click();
  URL.revokeObjectURL(link.href);
}
