// Shares a report as a file or through a public link that expires.
import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconChevronDown, IconFileTypePdf, IconLink, IconTable } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import { MenuEntry, MenuOrSheet } from '#platform/web/ui/menu-or-sheet.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import type { ReportLink } from '../contract.ts';
import { LINK_DAYS, type ReportFormat } from '../shared.ts';
import { api } from './queries.ts';

export function ShareReport({ campaign, zone }: { campaign: string; zone: string }) {
  const t = useTexts('reports');
  const [isOpen, setOpen] = useState(false);
  const [isLinking, setLinking] = useState(false);
  const download = (format: ReportFormat) =>
    window.location.assign(`/client-api/api/campaigns/${campaign}/report/export?format=${format}`);
  return (
    <>
      <MenuOrSheet
        isOpen={isOpen}
        onChange={setOpen}
        label={t('share.button')}
        target={
          <Button variant="default" rightSection={<IconChevronDown size={16} aria-hidden="true" />}>
            {t('share.button')}
          </Button>
        }
      >
        <MenuEntry
          icon={<IconFileTypePdf size={18} stroke={1.75} aria-hidden="true" />}
          run={() => download('pdf')}
        >
          {t('share.pdf')}
        </MenuEntry>
        <MenuEntry
          icon={<IconTable size={18} stroke={1.75} aria-hidden="true" />}
          run={() => download('csv')}
        >
          {t('share.csv')}
        </MenuEntry>
        <MenuEntry
          icon={<IconLink size={18} stroke={1.75} aria-hidden="true" />}
          run={() => setLinking(true)}
        >
          {t('share.link')}
        </MenuEntry>
      </MenuOrSheet>
      <Dialog opened={isLinking} onClose={() => setLinking(false)} title={t('share.link')}>
        <PublicLink campaign={campaign} zone={zone} />
      </Dialog>
    </>
  );
}

function PublicLink({ campaign, zone }: { campaign: string; zone: string }) {
  const t = useTexts('reports');
  const params = { id: campaign };
  const link = useQuery(api.query('GET /client-api/api/campaigns/{id}/report/link', { params }));
  if (link.isLoadingError) {
    return <FailedState error={link.error} retry={() => void link.refetch()} />;
  }
  if (!link.data) return <LoadingState rows={2} />;
  return (
    <Stack gap="md">
      <Text size="sm">{t('share.text')}</Text>
      {link.data.data && <WorkingLink campaign={campaign} zone={zone} link={link.data.data} />}
      <NewLink campaign={campaign} isReplacing={link.data.data !== null} />
    </Stack>
  );
}

const sharePaths = (campaign: string) => [`/client-api/api/campaigns/${campaign}/report/link`];

function WorkingLink({
  campaign,
  zone,
  link,
}: {
  campaign: string;
  zone: string;
  link: ReportLink;
}) {
  const t = useTexts('reports');
  const { dateTime } = useFormats();
  const end = useAction(
    () => api('DELETE /client-api/api/campaigns/{id}/report/link', { params: { id: campaign } }),
    { invalidates: sharePaths(campaign), onDone: () => toast(t('share.ended')) },
  );
  return (
    <>
      <TextInput
        label={t('share.link')}
        description={t('share.works', { time: dateTime(link.expires, zone) })}
        value={link.url}
        readOnly
        dir="ltr"
        onFocus={(event) => event.currentTarget.select()}
        rightSection={<CopyButton value={link.url} label={t('share.copy')} />}
      />
      <Group justify="flex-end">
        <Button
          variant="default"
          color="danger"
          loading={end.isPending}
          onClick={() => end.mutate(undefined)}
        >
          {t('share.end')}
        </Button>
      </Group>
    </>
  );
}

function NewLink({ campaign, isReplacing }: { campaign: string; isReplacing: boolean }) {
  const t = useTexts('reports');
  const { duration } = useFormats();
  const [days, setDays] = useState<(typeof LINK_DAYS)[number]>(30);
  const create = useAction(
    () =>
      api('POST /client-api/api/campaigns/{id}/report/link', {
        params: { id: campaign },
        body: { days },
      }),
    { invalidates: sharePaths(campaign) },
  );
  return (
    <Group align="flex-end" justify="space-between">
      <Select
        label={t('share.days')}
        allowDeselect={false}
        data={LINK_DAYS.map((dayCount) => ({
          value: String(dayCount),
          label: duration(dayCount * 24),
        }))}
        value={String(days)}
        onChange={(value) =>
          setDays(LINK_DAYS.find((dayCount) => String(dayCount) === value) ?? days)
        }
      />
      <Button
        variant={isReplacing ? 'default' : 'filled'}
        loading={create.isPending}
        onClick={() => create.mutate(undefined)}
      >
        {t(isReplacing ? 'share.renew' : 'share.create')}
      </Button>
    </Group>
  );
}
