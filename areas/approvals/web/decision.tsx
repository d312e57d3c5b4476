// The decision about a request: approve or decline it with a note, or withdraw it.
import { Button, Group, Paper, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { ApprovalDetail, ApprovedRequest } from '../contract.ts';
import { MAX_NOTE_LENGTH } from '../shared.ts';
import { useFoundContents } from './found-contents.ts';
import { getDeletionText, isDeletion } from './is-deletion.ts';
import { api, APPROVALS } from './queries.ts';

export function Decision({ approval }: { approval: ApprovalDetail }) {
  const t = useTexts('approvals');
  const [reason, setReason] = useState('');
  const { approve, decline, withdraw, isBusy } = useDecision(approval, reason);
  return (
    <Paper withBorder p="md">
      {approval.can_decide ? (
        <Textarea
          label={t('reason')}
          autosize
          minRows={2}
          maxRows={6}
          mb="md"
          maxLength={MAX_NOTE_LENGTH}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      ) : (
        <Text size="sm" mb="sm">
          {t(isDeletion(approval) ? 'cannotDelete' : 'cannotDecide')}
        </Text>
      )}
      <Group gap="xs">
        {approval.can_decide && (
          <>
            <Button loading={isBusy} onClick={approve}>
              {t('approve')}
            </Button>
            <Button variant="default" disabled={isBusy} onClick={decline}>
              {t('decline')}
            </Button>
          </>
        )}
        {approval.can_withdraw && (
          <Button variant="subtle" disabled={isBusy} onClick={withdraw}>
            {t('withdraw')}
          </Button>
        )}
      </Group>
    </Paper>
  );
}

/**
 * The three decisions about a request. To approve a deletion, the user types the number of
 * subscribers, as for a deletion without approval.
 */
function useDecision(approval: ApprovalDetail, reason: string) {
  const t = useTexts('approvals');
  const showFound = useFoundContents();
  const { audience } = approval;
  const params = { id: approval.id };
  const createOptions = (doneKey: string) => ({
    invalidates: [APPROVALS],
    onDone: () => toast(t(doneKey)),
  });
  const approve = useAction(
    () =>
      api('POST /client-api/api/approvals/{id}/approve', {
        params,
        body: { reason, ...(audience && { recipients: audience.count }) },
        idempotencyKey: crypto.randomUUID(),
      }).catch(async (error: unknown) => {
        // The request may have ended since it was loaded, or its number of recipients may have
        // changed.
        await invalidate(APPROVALS);
        throw error;
      }),
    createOptions('done.approved'),
  );
  const decline = useAction(
    () => api('POST /client-api/api/approvals/{id}/decline', { params, body: { reason } }),
    createOptions('done.declined'),
  );
  const withdraw = useAction(
    () => api('POST /client-api/api/approvals/{id}/withdraw', { params, body: {} }),
    createOptions('done.withdrawn'),
  );
  const confirmApproval = async () => {
    const deletion = getDeletionText(approval);
    if (!deletion) return approve.mutate(undefined);
    let foundContents: ApprovedRequest['found_in'];
    const isDone = await confirm({
      title: approval.subject.title,
      message: t(deletion),
      confirm: t('approve'),
      isDanger: true,
      requiredText: String(audience?.count ?? 0),
      run: async () => {
        foundContents = (await approve.mutateAsync(undefined)).data.found_in;
      },
    });
    if (isDone) await showFound(foundContents);
  };
  return {
    approve: () => void confirmApproval(),
    decline: () => decline.mutate(undefined),
    withdraw: () => withdraw.mutate(undefined),
    isBusy: approve.isPending || decline.isPending || withdraw.isPending,
  };
}
