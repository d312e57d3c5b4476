// SMS senders waiting for the operator, who assigns each to its account or declines it.
import { Anchor, Button, Group, Table, Text } from '@mantine/core';
import { IconDeviceMobileMessage } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { WaitingSender } from '../contract.ts';
import { OperatorPage } from './operator-page.tsx';
import { buildAccountPath, api, SENDERS, useOperatorTabs } from './queries.ts';

export default function SendersScreen() {
  const t = useTexts('operator');
  const tabs = useOperatorTabs();
  const senders = useQuery({ ...api.query('GET /client-api/api/operator/senders'), retry: false });
  const list = senders.data?.data;
  return (
    <OperatorPage title={t('title')} tabs={tabs} description={t('senders.intro')}>
      {list === undefined ? (
        senders.isLoadingError ? (
          <FailedState error={senders.error} retry={() => void senders.refetch()} />
        ) : (
          <LoadingState rows={6} />
        )
      ) : list.length === 0 ? (
        <EmptyState icon={IconDeviceMobileMessage} title={t('senders.none')} />
      ) : (
        <Senders list={list} />
      )}
    </OperatorPage>
  );
}

function Senders({ list }: { list: readonly WaitingSender[] }) {
  const t = useTexts('operator');
  const head = (['sender', 'account', 'useCase', 'since'] as const).map((name) =>
    t(`senders.${name}`),
  );
  return (
    <Table.ScrollContainer minWidth={640} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label={t('senders.title')}>
        <Table.Thead>
          <Table.Tr>
            {[...head, ''].map((text) => (
              <Table.Th key={text}>{text}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {list.map((sender) => (
            <Row key={`${sender.account.id}/${sender.id}`} sender={sender} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Row({ sender }: { sender: WaitingSender }) {
  const t = useTexts('operator');
  const smsTexts = useTexts('sms');
  const { date } = useFormats();
  const { account, value, id } = sender;
  const params = { id: account.id, phone: id };
  const assign = useAction(
    () => api('POST /client-api/api/operator/accounts/{id}/senders/{phone}/assign', { params }),
    { invalidates: [SENDERS], onDone: () => toast(t('senders.assigned')) },
  );
  const decline = async () => {
    await confirm({
      title: t('senders.declineTitle', { value }),
      message: t('senders.declineText'),
      confirm: t('senders.decline'),
      isDanger: true,
      run: () =>
        api('POST /client-api/api/operator/accounts/{id}/senders/{phone}/decline', { params }),
    });
    await invalidate(SENDERS);
  };
  return (
    <Table.Tr>
      <Table.Td>
        <bdi dir="ltr">{value}</bdi>
        <Text size="xs" c="dimmed">
          {smsTexts(`kinds.${sender.kind}`)}
        </Text>
        {sender.is_shared && (
          <Text size="xs" c="danger">
            {t('senders.shared')}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Anchor component={Link} to={buildAccountPath(account.id)}>
          <bdi>{account.title || account.id}</bdi>
        </Anchor>
      </Table.Td>
      <Table.Td>
        <bdi>{sender.use_case}</bdi>
      </Table.Td>
      <Table.Td>{date(sender.created)}</Table.Td>
      <Table.Td>
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button
            size="compact-sm"
            loading={assign.isPending}
            onClick={() => assign.mutate(undefined)}
          >
            {t('senders.assign')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => void decline()}>
            {t('senders.decline')}
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
